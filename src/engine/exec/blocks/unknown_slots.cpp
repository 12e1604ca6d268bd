// Unknown values in the slots of local memory that pass arguments and results of calls.
#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/unknown_bytes.h"
#include "engine/exec/blocks/unknown_values.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/jit/math/lane_math.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {

std::optional<uint64_t> UnknownValues::slot_of(const Warp& warp, const ir::Instruction& in) {
  if (in.mods.space != AddressSpace::ParamFunc || !in.address || in.address->symbol == ir::kNone) return std::nullopt;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[in.address->symbol];
  return warp.inside->frame + symbol.offset + static_cast<uint64_t>(in.address->offset);
}

UnknownValues::Parts UnknownValues::slot_value(uint64_t slot, unsigned bytes) const {
  Parts parts;
  for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) {
    const auto known = slots_.find(slot + k);
    if (known == slots_.end()) continue;
    for (const auto& [origin, lanes] : known->second) {
      auto part = std::ranges::find(parts, origin, &Part::origin);
      if (part == parts.end()) part = parts.insert(part, Part{origin, {}});
      part->bytes[k] = lanes;
    }
  }
  return parts;
}

void UnknownValues::set_slot(uint64_t slot, const Parts& parts, unsigned bytes, LaneMask lanes) {
  for (unsigned k = 0; k < bytes; ++k) {
    const auto known = slots_.find(slot + k);
    std::vector<std::pair<uint32_t, LaneMask>> value;
    if (known != slots_.end()) value = std::move(known->second);
    for (auto& part : value) part.second &= ~lanes;
    // An origin has one entry, also where other lanes have given the slot a value of the same load.
    if (k < kBytes)
      for (const Part& part : parts) {
        const auto same = std::ranges::find(value, part.origin, &std::pair<uint32_t, LaneMask>::first);
        auto& entry = same == value.end() ? value.emplace_back(part.origin, LaneMask{0}) : *same;
        entry.second |= part.bytes[k] & lanes;
      }
    std::erase_if(value, [](const auto& part) { return part.second == 0; });
    if (!value.empty())
      slots_[slot + k] = std::move(value);
    else if (known != slots_.end())
      slots_.erase(known);
  }
}

void UnknownValues::store_slot(Step& step, uint64_t slot) {
  const unsigned bytes = byte_count(step.in.type);
  for (size_t e = 0; e < step.in.src.size(); ++e) {
    const ir::Operand& o = step.in.src[e];
    const bool is_register = o.kind == ir::Operand::Kind::Register;
    set_slot(slot + e * bytes, is_register ? (*registers_)[o.id] : Parts{}, bytes, step.lanes);
  }
}

void UnknownValues::load_slot(Step& step, uint64_t slot) {
  const unsigned bytes = byte_count(step.in.type);
  for (size_t e = 0; e < step.in.dst.size(); ++e) {
    if (step.in.dst[e].kind != ir::Operand::Kind::Register) continue;
    Parts parts = slot_value(slot + e * bytes, bytes);
    for (Part& part : parts) part.bytes = extended(part.bytes, bytes, ir::is_signed(step.in.type));
    set(step.in.dst[e].id, parts, step.lanes);
  }
}

void UnknownValues::copy_slot(uint64_t from, uint64_t to, uint64_t bytes, LaneMask lanes) {
  for (uint64_t k = 0; k < bytes; ++k) set_slot(to + k, slot_value(from + k, 1), 1, lanes);
}

void UnknownValues::clear_slot(uint64_t slot, uint64_t bytes, LaneMask lanes) {
  set_slot(slot, {}, static_cast<unsigned>(bytes), lanes);
}

void UnknownValues::register_to_slot(const Activation& of, ir::RegisterId r, uint64_t slot, uint64_t bytes,
                                     LaneMask lanes) {
  set_slot(slot, registers_of(of)[r], static_cast<unsigned>(bytes), lanes);
}

void UnknownValues::slot_to_register(const Activation& of, ir::RegisterId r, uint64_t slot, uint64_t bytes,
                                     LaneMask lanes) {
  registers_ = &registers_of(of);
  set(r, slot_value(slot, static_cast<unsigned>(bytes)), lanes);
}

void UnknownValues::leave(uint64_t frame, LaneMask lanes) {
  for (auto slot = slots_.lower_bound(frame); slot != slots_.end();) {
    for (auto& part : slot->second) part.second &= ~lanes;
    std::erase_if(slot->second, [](const auto& part) { return part.second == 0; });
    slot = slot->second.empty() ? slots_.erase(slot) : std::next(slot);
  }
}

// A function that drywarp provides: mathematics gives a value that its arguments make unknown, all others use them.
void UnknownValues::call(Step& step) {
  const ir::Module& module = *step.warp.worker->launch->module;
  if (analysis::really_calls(module, step.in)) return;
  Parts given;
  const auto add = [&](uint32_t origin, LaneMask lanes) {
    lanes &= step.lanes;
    if (lanes != 0) given.push_back({origin, whole(lanes)});
  };
  const auto slot = [&](const ir::Operand& o) {
    return step.warp.inside->frame + module.symbols[o.id].offset + o.bits;
  };
  for (const ir::Operand& o : step.in.call_arguments) {
    if (o.kind == ir::Operand::Kind::Register)
      for (const Part& part : (*registers_)[o.id]) add(part.origin, any_of(part.bytes));
    if (o.kind != ir::Operand::Kind::Symbol) continue;
    const uint64_t bytes = module.symbols[o.id].size;
    for (uint64_t k = 0; k < bytes; ++k)
      for (const Part& part : slot_value(slot(o) + k, 1)) add(part.origin, part.bytes[0]);
    clear_slot(slot(o), bytes, step.lanes);
  }
  const jit::MathSignature* math = jit::find_math_signature(module.functions[step.in.callee].name);
  const bool derives = math && math->pointer_bytes[0] == 0 && !math->reads_memory;
  LaneMask told = 0;
  for (Part& part : given) {
    for (LaneMask& lanes : part.bytes) lanes &= ~told;
    told |= part.bytes[0];
    if (!derives && part.bytes[0] != 0) tell_use(step, How::Call, part.origin, part.bytes[0]);
  }
  if (!derives) given.clear();
  for (const ir::Operand& o : step.in.call_results) {
    if (o.kind == ir::Operand::Kind::Register) set(o.id, given, step.lanes);
    if (o.kind == ir::Operand::Kind::Symbol)
      set_slot(slot(o), given, static_cast<unsigned>(module.symbols[o.id].size), step.lanes);
  }
}

}  // namespace drywarp::exec
