#include "engine/exec/blocks/unknown_values.h"

#include <algorithm>
#include <bit>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/unknown_bytes.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/jit/math/lane_math.h"
#include "language/analysis/passes.h"
#include "language/ir/matrix_shapes.h"

namespace drywarp::exec {

using ir::Family;
using ir::Opcode;

namespace {

unsigned byte_count(ir::Type type) {
  const unsigned bits = ir::bits(type);
  return type == ir::Type::None || type == ir::Type::Other ? UnknownValues::kBytes
                                                           : std::min((bits + 7) / 8, UnknownValues::kBytes);
}

std::optional<uint64_t> constant(const ir::Instruction& in, size_t index) {
  if (index >= in.src.size() || in.src[index].kind != ir::Operand::Kind::Immediate) return std::nullopt;
  return in.src[index].bits;
}

// Of a load or a store of an argument or a result: its offset in the threads' local memory.
std::optional<uint64_t> slot_of(const Warp& warp, const ir::Instruction& in) {
  if (in.mods.space != AddressSpace::ParamFunc || !in.address || in.address->symbol == ir::kNone) return std::nullopt;
  const ir::Symbol& symbol = warp.worker->launch->module->symbols[in.address->symbol];
  return warp.inside->frame + symbol.offset + static_cast<uint64_t>(in.address->offset);
}

bool same_register(const ir::Instruction& in) {
  return in.src.size() == 2 && in.src[0].kind == ir::Operand::Kind::Register &&
         in.src[1].kind == ir::Operand::Kind::Register && in.src[0].id == in.src[1].id;
}

}  // namespace

void UnknownValues::clear() {
  of_activations_.clear();
  registers_ = nullptr;
  slots_.clear();
  held_ = 0;
  loaded_.lanes = 0;
}

void UnknownValues::note_load(const observe::UnknownBytes& unknown) {
  for (LaneMask left = unknown.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    loaded_.bytes[lane] = unknown.bytes[lane];
  }
  loaded_.lanes |= unknown.lanes;
  loaded_.origin = unknown.origin;
}

void UnknownValues::note_shuffle(const uint32_t* distances, const uint32_t* controls) {
  std::copy_n(distances, kWarpSize, distances_.begin());
  std::copy_n(controls, kWarpSize, controls_.begin());
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
  if (loaded_.lanes != 0) add(loaded_.origin);
  for (const ir::Operand& o : step.in.src)
    if (o.kind == ir::Operand::Kind::Register) add_register(o.id);
  if (step.in.guard) add_register(step.in.guard.reg);
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
  for (const Part& part : (*registers_)[r]) {
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

void UnknownValues::load(Step& step) const {
  const unsigned bits = ir::bits(step.in.type), bytes = bits / 8;
  const LaneMask lanes = !step.only || *step.only == loaded_.origin ? loaded_.lanes : 0;
  for (size_t e = 0; e < step.in.dst.size(); ++e) {
    Bytes value{};
    LaneMask any = 0;
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const uint64_t unknown = uint64_t{loaded_.bytes[lane]} >> (e * bytes);
      for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) value[k] |= (unknown >> k & 1) << lane;
      if ((unknown & ((uint64_t{1} << bytes) - 1)) != 0) any |= 1u << lane;
    }
    give(step, e, bytes > kBytes ? whole(any) : extended(value, bytes, ir::is_signed(step.in.type)));
  }
}

// The lane's own distance tells where its value is from, and so does what nobody knows of it.
void UnknownValues::shuffle(Step& step) const {
  const Bytes value = source(step, 0);
  const LaneMask lost = any_of(source(step, 1)) | any_of(source(step, 2));
  Bytes moved = whole(lost);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const uint32_t from = shuffle_source(step.in.mods.mode, lane, distances_[lane], controls_[lane]);
    for (unsigned k = 0; k < kBytes; ++k) moved[k] |= (value[k] >> from & 1) << lane;
  }
  give(step, 0, moved);
  give(step, 1, whole(lost));
}

// movmatrix: a lane has two elements of 16 bits of a row of 8 by 8.
void UnknownValues::transpose(Step& step) const {
  const Bytes value = source(step, 0);
  Bytes moved{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned row = lane / 4, column = lane % 4 * 2 + k / 2;
      const unsigned from = column * 4 + row / 2, byte = row % 2 * 2 + k % 2;
      moved[k] |= (value[byte] >> from & 1) << lane;
    }
  give(step, 0, moved);
}

// ldmatrix: lane 8m + r has loaded row r of matrix m.
void UnknownValues::load_matrix(Step& step) const {
  if (step.only && *step.only != loaded_.origin) return;
  for (unsigned m = 0; m < step.in.dst.size(); ++m) {
    Bytes value{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned k = 0; k < 4; ++k) {
        const bool across = step.in.mods.matrix.transposed;
        const unsigned row = across ? 2 * (lane % 4) + k / 2 : lane / 4;
        const unsigned byte = across ? 2 * (lane / 4) + k % 2 : 4 * (lane % 4) + k, from = 8 * m + row;
        if ((loaded_.lanes >> from & 1) != 0 && (loaded_.bytes[from] >> byte & 1) != 0) value[k] |= 1u << lane;
      }
    give(step, m, value);
  }
}

// mma: an element of d depends on a row of a, a column of b, and its own element of c.
void UnknownValues::multiply(Step& step) const {
  const ir::MmaShape& shape = *ir::mma_shape(step.in);
  const ir::MatrixFragments all = ir::fragments(shape, step.in.mods.matrix.c_type);
  const bool pairs = ir::is_quad_pair(shape);
  const auto each_unknown = [&](const ir::MatrixFragment& f, size_t first, auto visit) {
    const unsigned in_register = std::max(1u, 32 / f.bits);
    for (unsigned index = 0; index < f.elements(); ++index) {
      const Bytes bytes = source(step, first + index / in_register);
      const unsigned at = index % in_register * f.bits / 8, count = std::max(1u, f.bits / 8);
      LaneMask lanes = 0;
      for (unsigned k = at; k < at + count; ++k) lanes |= bytes[k];
      for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<unsigned>(std::countr_zero(lanes)), index);
    }
  };
  LaneMask rows = 0, columns = 0;
  each_unknown(all.a, 0, [&](unsigned lane, unsigned i) {
    rows |= 1u << (pairs ? ir::quad_pair(lane) * 8 + ir::quad_pair_input(lane, i, !step.in.mods.matrix.a_column).line
                         : ir::matrix_place(all.a, lane, i).line);
  });
  each_unknown(all.b, all.a.registers(), [&](unsigned lane, unsigned i) {
    columns |= 1u << (pairs ? ir::quad_pair(lane) * 8 + ir::quad_pair_input(lane, i, step.in.mods.matrix.b_column).line
                            : ir::matrix_place(all.b, lane, i).line);
  });
  if (shape.sparse) {
    const size_t metadata = step.in.src.size() - 2;
    const LaneMask unknown = any_of(source(step, metadata));
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if ((unknown >> lane & 1) != 0 && lane % 4 / ir::metadata_lanes(shape) == step.in.src.back().bits)
        rows |= 0x101u << lane / 4;
  }
  std::vector<Bytes> results(step.in.dst.size());
  const unsigned in_register = std::max(1u, 32 / all.c.bits), bytes = all.c.bits / 8;
  const auto mark = [&](unsigned lane, unsigned index) {
    for (unsigned k = 0; k < bytes; ++k) results[index / in_register][index % in_register * bytes + k] |= 1u << lane;
  };
  each_unknown(all.c, size_t{all.a.registers()} + all.b.registers(), mark);
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned index = 0; index < all.c.elements(); ++index) {
      const ir::MatrixPlace at =
          pairs ? ir::quad_pair_result(lane, index, step.in.type) : ir::matrix_place(all.c, lane, index);
      const unsigned first = pairs ? ir::quad_pair(lane) * 8 : 0;
      if ((rows >> (first + at.line) & 1) != 0 || (columns >> (first + at.position) & 1) != 0) mark(lane, index);
    }
  for (size_t d = 0; d < results.size(); ++d) give(step, d, results[d]);
}

void UnknownValues::compute(Step& step) const {
  const ir::Instruction& in = step.in;
  const unsigned bytes = byte_count(in.type);
  Bytes a = source(step, 0), b = source(step, 1);
  const auto whole_of_sources = [&] {
    LaneMask lanes = 0;
    for (size_t s = 0; s < in.src.size(); ++s) lanes |= any_of(source(step, s));
    return whole(lanes);
  };
  const auto by = constant(in, 1);
  switch (in.op) {
    case Opcode::Mov: {
      const size_t parts = std::max(in.src.size(), in.dst.size());
      if (parts == 1) return give(step, 0, a);
      const unsigned part = ir::bits(in.type) / 8 / static_cast<unsigned>(parts);
      if (part == 0 || part * parts > kBytes) break;
      if (in.dst.size() > 1) {
        for (size_t d = 0; d < parts; ++d)
          give(step, d, extended(shifted_right(a, d * part * 8, kBytes, false), part, false));
        return;
      }
      Bytes packed{};
      for (size_t s = 0; s < parts; ++s)
        packed = either(packed, shifted_left(extended(source(step, s), part, false), s * part * 8, kBytes));
      return give(step, 0, packed);
    }
    case Opcode::Not:
      return give(step, 0, a);
    case Opcode::And:
    case Opcode::Or: {
      const bool conjunction = in.op == Opcode::And;
      if (in.type == ir::Type::Pred) {
        const auto joined = conjunction ? unknown_and : unknown_or;
        return give(step, 0, whole(joined(a[0], step.first, b[0], step.second)));
      }
      const uint8_t decides = conjunction ? 0 : 0xff;
      if (by) return give(step, 0, without_decided(a, *by, decides));
      if (const auto first = constant(in, 0)) return give(step, 0, without_decided(b, *first, decides));
      return give(step, 0, either(a, b));
    }
    case Opcode::Xor:
      return give(step, 0, same_register(in) ? Bytes{} : either(a, b));
    case Opcode::Lop3:
      return give(step, 0, either(either(a, b), source(step, 2)));
    case Opcode::Shl:
      if (by) return give(step, 0, shifted_left(a, *by, bytes));
      break;
    case Opcode::Shr:
      if (by) return give(step, 0, shifted_right(a, *by, bytes, ir::is_signed(in.type)));
      break;
    case Opcode::Bfe: {
      const auto length = constant(in, 2);
      if (!by || !length) break;
      const bool is_signed = ir::is_signed(in.type);
      const auto kept = static_cast<unsigned>(std::min<uint64_t>((*length + 7) / 8, bytes));
      // A field that reaches past the top has the top bit there.
      return give(step, 0, extended(shifted_right(a, *by, bytes, is_signed), kept, is_signed));
    }
    case Opcode::Prmt: {
      const auto selector = constant(in, 2);
      if (!selector || in.mods.mode != ir::Mode::None) break;
      Bytes out{};
      for (unsigned k = 0; k < 4; ++k) {
        const uint64_t chosen = *selector >> 4 * k & 7;
        out[k] = chosen < 4 ? a[chosen] : b[chosen - 4];
      }
      return give(step, 0, out);
    }
    case Opcode::Cvt:
      if (ir::is_float(in.type) || ir::is_float(in.type2) || in.mods.sat) break;
      return give(step, 0,
                  extended(extended(a, byte_count(in.type2), ir::is_signed(in.type2)), bytes, ir::is_signed(in.type)));
    case Opcode::Selp: {
      const Bytes chooses = source(step, 2);
      Bytes out;
      for (unsigned k = 0; k < kBytes; ++k) out[k] = (a[k] & step.first) | (b[k] & ~step.first) | chooses[0];
      return give(step, 0, out);
    }
    case Opcode::Setp: {
      const LaneMask compared = any_of(a) | any_of(b), other = source(step, 2)[0];
      LaneMask result = compared | other;
      // The comparison's own value is not known here: only the other side can decide.
      if (in.mods.combine == ir::BoolOp::And) result = (compared & (step.first | other)) | other;
      if (in.mods.combine == ir::BoolOp::Or) result = (compared & (~step.first | other)) | other;
      for (size_t d = 0; d < in.dst.size(); ++d) give(step, d, whole(result));
      return;
    }
    case Opcode::Sub:
      if (same_register(in)) return give(step, 0, {});
      [[fallthrough]];
    case Opcode::Add:
      if (ir::is_float(in.type)) break;
      return give(step, 0, carried(either(a, b)));
    case Opcode::Mad:
    case Opcode::Mul:
      if (ir::is_float(in.type) || in.mods.part != ir::Part::Lo) break;
      return give(step, 0, carried(either(either(a, b), source(step, 2))));
    default:
      break;
  }
  const Bytes out = whole_of_sources();
  for (size_t d = 0; d < in.dst.size(); ++d) give(step, d, out);
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

void UnknownValues::follow(Warp& warp, uint32_t instruction, bool guard_alone, LaneMask lanes, LaneMask first,
                           LaneMask second) {
  registers_ = &registers_of(*warp.inside);
  const ir::Instruction& in = running_code(warp).instructions[instruction];
  Step step{warp, in, instruction, lanes, first, second, {}, {}};
  if (guard_alone) return use_guard(step);
  switch (ir::info(in.op).family) {
    case Family::Load:
      if (const auto slot = slot_of(warp, in)) return load_slot(step, *slot);
      use_addresses(step);
      derive(step, &UnknownValues::load);
      loaded_.lanes = 0;
      return;
    case Family::Store:
      if (const auto slot = slot_of(warp, in)) return store_slot(step, *slot);
      use_addresses(step);
      return use_sources(step, How::Store, byte_count(in.type));
    case Family::Atomic:
    case Family::AsyncCopy:
      if (in.mods.atom == ir::AtomOp::Exch && ir::info(in.op).family == Family::Atomic) {
        use_addresses(step);
        use_sources(step, How::Atomic, byte_count(in.type));
        derive(step, &UnknownValues::load);
        loaded_.lanes = 0;
        return;
      }
      if (const LaneMask copied = loaded_.lanes & lanes; copied != 0)
        tell_use(step, How::Store, loaded_.origin, copied);
      use_addresses(step);
      use_sources(step, How::Atomic, byte_count(in.type));
      for (const ir::Operand& o : in.dst)
        if (o.kind == ir::Operand::Kind::Register) set(o.id, {}, lanes);
      loaded_.lanes = 0;
      return;
    case Family::BulkCopy:
      return use_sources(step, How::Address);
    case Family::Matrix:
      use_addresses(step);
      if (in.op == Opcode::Mma || in.op == Opcode::MmaSp) return derive(step, &UnknownValues::multiply);
      if (in.op == Opcode::Stmatrix) return use_sources(step, How::Store, 4);
      derive(step, &UnknownValues::load_matrix);
      loaded_.lanes = 0;
      return;
    case Family::Control:
      use_sources(step, How::Branch);
      if (in.op == Opcode::Call) call(step);
      return;
    case Family::WarpExchange:
    case Family::Barrier:
      if (in.op == Opcode::Shfl) return derive(step, &UnknownValues::shuffle);
      if (in.op == Opcode::Movmatrix) return derive(step, &UnknownValues::transpose);
      // What one lane does not know, all learn.
      use_sources(step, How::Exchange);
      for (const ir::Operand& o : in.dst)
        if (o.kind == ir::Operand::Kind::Register) set(o.id, {}, lanes);
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
