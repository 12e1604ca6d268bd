#include "engine/exec/blocks/unknown_values.h"

#include <algorithm>
#include <bit>

#include "base/access/lanes.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/unknown_bytes.h"
#include "engine/exec/kernels/loaded_module.h"
#include "language/ir/accesses.h"

namespace drywarp::exec {

using ir::Family;
using ir::Opcode;

unsigned UnknownValues::byte_count(ir::Type type) {
  const unsigned bits = ir::bits(type);
  return type == ir::Type::None || type == ir::Type::Other ? UnknownValues::kBytes
                                                           : std::min((bits + 7) / 8, UnknownValues::kBytes);
}

void UnknownValues::clear() {
  of_activations_.clear();
  registers_ = nullptr;
  slots_.clear();
  held_ = 0;
  loaded_.clear();
  stored_.clear();
}

void UnknownValues::note_shuffle(const uint32_t* distances, const uint32_t* controls) {
  std::copy_n(distances, kWarpSize, distances_.begin());
  std::copy_n(controls, kWarpSize, controls_.begin());
}

void UnknownValues::note_inactive(const Warp& warp, uint32_t instruction, LaneMask lanes, const LaneMask* members) {
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  observe::InactiveSource told;
  inactive_ = 0;
  for_lanes(lanes, [&](uint32_t lane) {
    const LaneMask take_part = members ? lanes & members[lane] : lanes;
    const uint32_t from = shuffle_source(in.mods.mode, lane, distances_[lane], controls_[lane]);
    if (from == lane || (take_part >> from & 1) != 0) return;
    if (inactive_ == 0) told.from = from;
    inactive_ |= LaneMask{1} << lane;
  });
  if (inactive_ == 0) return;
  const ir::Place place = place_in_text(warp, instruction);
  std::optional<uint32_t> origin;
  told.warp = warp.warp, told.lanes = inactive_, told.origin = &origin;
  told.ptx_line = place.ptx_line, told.file = place.file, told.line = place.line;
  tell(*warp.owner, &observe::BlockObserver::inactive_source, told);
  if (origin)
    inactive_origin_ = *origin;
  else
    inactive_ = 0;
}

UnknownValues::Bytes UnknownValues::source_register(const Step& step, ir::RegisterId r) const {
  Bytes all{};
  for (const Part& part : (*registers_)[r])
    if (!step.only || *step.only == part.origin) all = either(all, part.bytes);
  return all;
}

UnknownValues::Bytes UnknownValues::source(const Step& step, size_t index) const {
  if (index >= step.in.src.size() || step.in.src[index].kind != ir::Operand::Kind::Register) return {};
  return source_register(step, step.in.src[index].id);
}

void UnknownValues::set(ir::RegisterId r, const Parts& parts, LaneMask lanes) {
  Parts& to = (*registers_)[r];
  const bool before = !to.empty();
  for (Part& part : to)
    for (LaneMask& bytes : part.bytes) bytes &= ~lanes;
  for (const Part& part : parts) {
    auto known = std::ranges::find(to, part.origin, &Part::origin);
    if (known == to.end()) known = to.insert(to.end(), Part{part.origin, {}});
    for (unsigned k = 0; k < kBytes; ++k) known->bytes[k] |= part.bytes[k] & lanes;
  }
  std::erase_if(to, [](const Part& part) { return any_of(part.bytes) == 0; });
  held_ += static_cast<uint32_t>(!to.empty()) - static_cast<uint32_t>(before);
}

// A result: what its predicate does not know, it does not know either.
void UnknownValues::give(Step& step, size_t index, const Bytes& bytes) const {
  if (index >= step.in.dst.size() || step.in.dst[index].kind != ir::Operand::Kind::Register) return;
  step.results[index] = bytes;
  if (step.in.guard) step.results[index] = either(bytes, whole(source_register(step, step.in.guard.reg)[0]));
}

// Each once.
std::vector<uint32_t> UnknownValues::origins_of(const Step& step) const {
  std::vector<uint32_t> origins;
  const auto add = [&](uint32_t origin) {
    if (std::ranges::find(origins, origin) == origins.end()) origins.push_back(origin);
  };
  const auto add_register = [&](ir::RegisterId r) {
    for (const Part& part : (*registers_)[r]) add(part.origin);
  };
  for (const observe::UnknownBytes& l : loaded_) add(l.origin);
  if (inactive_ != 0) add(inactive_origin_);
  for (const ir::Operand& o : step.in.src)
    if (o.kind == ir::Operand::Kind::Register) add_register(o.id);
  if (step.in.guard) add_register(step.in.guard.reg);
  std::ranges::stable_partition(origins, [](uint32_t origin) { return origin < observe::kSpeaksLast; });
  return origins;
}

void UnknownValues::derive(Step& step, Rule rule) {
  const size_t count = step.in.dst.size();
  const auto results = [&](std::optional<uint32_t> only) {
    step.only = only;
    step.results.assign(count, Bytes{});
    (this->*rule)(step);
    return std::move(step.results);
  };
  std::vector<Bytes> left = results(std::nullopt);
  const std::vector<uint32_t> origins = origins_of(step);
  std::vector<Parts> parts(count);
  for (const uint32_t origin : origins) {
    const std::vector<Bytes> alone = origins.size() == 1 ? left : results(origin);
    for (size_t d = 0; d < count; ++d) {
      Part part{origin, {}};
      for (unsigned k = 0; k < kBytes; ++k) part.bytes[k] = left[d][k] & alone[d][k], left[d][k] &= ~alone[d][k];
      if (any_of(part.bytes) != 0) parts[d].push_back(part);
    }
  }
  for (size_t d = 0; d < count; ++d) {
    if (step.in.dst[d].kind != ir::Operand::Kind::Register) continue;
    // What several origins make unknown together, as both sides of a logical operation.
    if (!origins.empty() && any_of(left[d]) != 0) parts[d].push_back({origins.front(), left[d]});
    set(step.in.dst[d].id, parts[d], step.lanes);
  }
}

void UnknownValues::tell_use(const Step& step, How how, uint32_t origin, LaneMask lanes) {
  const ir::Place place = place_in_text(step.warp, step.instruction);
  tell(*step.warp.owner, &observe::BlockObserver::unknown_use,
       observe::UnknownUse{step.warp.warp, how, origin, lanes, place.ptx_line, place.file, place.line});
}

// The value is told of once: then it counts as known.
void UnknownValues::use(Step& step, ir::RegisterId r, How how, unsigned bytes) {
  LaneMask told = 0;
  Parts& parts = (*registers_)[r];
  std::ranges::stable_partition(parts, [](const Part& part) { return part.origin < observe::kSpeaksLast; });
  for (const Part& part : parts) {
    LaneMask lanes = 0;
    for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) lanes |= part.bytes[k];
    lanes &= step.lanes & ~told;
    if (lanes != 0) tell_use(step, how, part.origin, lanes);
    told |= lanes;
  }
  if (told != 0) set(r, {}, told);
}

// A result that the instruction does not write keeps its value: if that is because of an unknown predicate, nobody
// knows which value it has.
void UnknownValues::use_guard(Step& step) {
  const ir::RegisterId guard = step.in.guard.reg;
  if (ir::traits(ir::info(step.in.op).family).effect != ir::Effect::None) return use(step, guard, How::Branch);
  for (const ir::Operand& o : step.in.dst) {
    if (o.kind != ir::Operand::Kind::Register || o.id == guard) continue;
    for (const Part& part : Parts((*registers_)[guard]))
      set(o.id, {{part.origin, whole(part.bytes[0])}}, part.bytes[0] & step.lanes);
  }
}

void UnknownValues::use_sources(Step& step, How how, unsigned bytes) {
  for (const ir::Operand& o : step.in.src)
    if (o.kind == ir::Operand::Kind::Register) use(step, o.id, how, bytes);
}

void UnknownValues::use_addresses(Step& step) {
  for (const auto* a : {&step.in.address, &step.in.address2})
    if (a->has_value() && (*a)->reg != ir::kNone) use(step, (*a)->reg, How::Address);
}

void UnknownValues::forget(const Activation& activation) {
  const auto known = of_activations_.find(&activation);
  if (known == of_activations_.end()) return;
  held_ -= static_cast<uint32_t>(std::ranges::count_if(known->second, [](const Parts& p) { return !p.empty(); }));
  if (registers_ == &known->second) registers_ = nullptr;
  of_activations_.erase(known);
}

std::vector<UnknownValues::Parts>& UnknownValues::registers_of(const Activation& activation) {
  std::vector<Parts>& registers = of_activations_[&activation];
  registers.resize(activation.code->prepared.code.registers.size());
  return registers;
}

void UnknownValues::follow(Warp& warp, uint32_t instruction, bool guard_alone, LaneMask lanes, LaneMask first,
                           LaneMask second) {
  registers_ = &registers_of(*warp.inside);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  Step step{warp, in, instruction, lanes, first, second, {}, {}};
  if (guard_alone) return use_guard(step);
  follow(step);
  if (ir::accesses(in).empty()) return;
  loaded_.clear();
  stored_.clear();
}

void UnknownValues::follow(Step& step) {
  Warp& warp = step.warp;
  const ir::Instruction& in = step.in;
  switch (ir::info(in.op).family) {
    case Family::Load:
      if (const auto slot = slot_of(warp, in)) return load_slot(step, *slot);
      use_addresses(step);
      return derive(step, &UnknownValues::load);
    case Family::Store:
      if (const auto slot = slot_of(warp, in)) return store_slot(step, *slot);
      return store(step);
    case Family::Atomic:
      return access_atomically(step);
    case Family::AsyncCopy:
      return copy(step);
    case Family::Texture:
      return derive(step, &UnknownValues::fetch);
    case Family::Surface:
      if (in.op == Opcode::Suld || in.op == Opcode::Suq) return derive(step, &UnknownValues::fetch);
      return use_sources(step, in.op == Opcode::Sust ? How::Store : How::Atomic);
    case Family::BulkCopy:
      return use_sources(step, How::Address);
    case Family::Matrix:
      use_addresses(step);
      if (in.op == Opcode::Mma || in.op == Opcode::MmaSp) return derive(step, &UnknownValues::multiply);
      if (in.op == Opcode::Stmatrix) return use_sources(step, How::Store, 4);
      return derive(step, &UnknownValues::load_matrix);
    case Family::Control:
      use_sources(step, How::Branch);
      if (in.op == Opcode::Call) call(step);
      return;
    case Family::WarpExchange:
    case Family::Barrier:
      if (in.op == Opcode::Shfl) {
        derive(step, &UnknownValues::shuffle);
        inactive_ = 0;
        return;
      }
      if (in.op == Opcode::Movmatrix) return derive(step, &UnknownValues::transpose);
      // What one lane does not know, all learn.
      use_sources(step, How::Exchange);
      for (const ir::Operand& o : in.dst)
        if (o.kind == ir::Operand::Kind::Register) set(o.id, {}, step.lanes);
      return;
    default:
      return derive(step, &UnknownValues::compute);
  }
}

void forget_unknown(Warp& warp) {
  warp.unknown = 0;
  if (warp.unknown_values) warp.unknown_values->clear();
}

}  // namespace drywarp::exec
