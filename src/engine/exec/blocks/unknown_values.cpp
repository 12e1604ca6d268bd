#include "engine/exec/blocks/unknown_values.h"

#include <algorithm>
#include <bit>

#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/unknown_bytes.h"
#include "engine/exec/kernels/loaded_module.h"

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

bool same_register(const ir::Instruction& in) {
  return in.src.size() == 2 && in.src[0].kind == ir::Operand::Kind::Register &&
         in.src[1].kind == ir::Operand::Kind::Register && in.src[0].id == in.src[1].id;
}

}  // namespace

void UnknownValues::clear() {
  registers_.clear();
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

UnknownValues::Bytes UnknownValues::source_register(Step& step, ir::RegisterId r) {
  const Register& held = registers_[r];
  if ((any_of(held.bytes) & step.lanes) != 0) step.origin = held.origin;
  return held.bytes;
}

UnknownValues::Bytes UnknownValues::source(Step& step, size_t index) {
  if (index >= step.in.src.size() || step.in.src[index].kind != ir::Operand::Kind::Register) return {};
  return source_register(step, step.in.src[index].id);
}

void UnknownValues::set(ir::RegisterId r, const Bytes& bytes, LaneMask lanes, uint32_t origin) {
  Register& to = registers_[r];
  const bool before = any_of(to.bytes) != 0;
  LaneMask fresh = 0;
  for (unsigned k = 0; k < kBytes; ++k) {
    to.bytes[k] = (to.bytes[k] & ~lanes) | (bytes[k] & lanes);
    fresh |= bytes[k] & lanes;
  }
  if (fresh != 0) to.origin = origin;
  held_ += static_cast<uint32_t>(any_of(to.bytes) != 0) - static_cast<uint32_t>(before);
}

// A result: what its predicate does not know, it does not know either.
void UnknownValues::give(const Step& step, size_t index, const Bytes& bytes) {
  if (index >= step.in.dst.size() || step.in.dst[index].kind != ir::Operand::Kind::Register) return;
  Bytes all = bytes;
  uint32_t origin = step.origin;
  if (step.in.guard) {
    const Register& guard = registers_[step.in.guard.reg];
    if ((guard.bytes[0] & step.lanes) != 0) all = either(all, whole(guard.bytes[0])), origin = guard.origin;
  }
  set(step.in.dst[index].id, all, step.lanes, origin);
}

void UnknownValues::tell_use(const Step& step, How how, uint32_t origin, LaneMask lanes) {
  const ir::Place place = place_in_text(step.warp, step.instruction);
  tell(*step.warp.owner, &observe::BlockObserver::unknown_use,
       observe::UnknownUse{step.warp.warp, how, origin, lanes, place.ptx_line, place.file, place.line});
}

// The value is told of once: then it counts as known.
void UnknownValues::use(Step& step, ir::RegisterId r, How how, unsigned bytes) {
  LaneMask lanes = 0;
  for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) lanes |= registers_[r].bytes[k];
  lanes &= step.lanes;
  if (lanes == 0) return;
  tell_use(step, how, registers_[r].origin, lanes);
  set(r, {}, lanes, 0);
}

void UnknownValues::use_sources(Step& step, How how, unsigned bytes) {
  for (const ir::Operand& o : step.in.src)
    if (o.kind == ir::Operand::Kind::Register) use(step, o.id, how, bytes);
}

void UnknownValues::use_addresses(Step& step) {
  for (const auto* a : {&step.in.address, &step.in.address2})
    if (a->has_value() && (*a)->reg != ir::kNone) use(step, (*a)->reg, How::Address);
}

void UnknownValues::load(Step& step) {
  use_addresses(step);
  const unsigned bits = ir::bits(step.in.type), bytes = bits / 8;
  step.origin = loaded_.origin;
  for (size_t e = 0; e < step.in.dst.size(); ++e) {
    Bytes value{};
    LaneMask any = 0;
    for (LaneMask left = loaded_.lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const uint64_t unknown = uint64_t{loaded_.bytes[lane]} >> (e * bytes);
      for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) value[k] |= (unknown >> k & 1) << lane;
      if ((unknown & ((uint64_t{1} << bytes) - 1)) != 0) any |= 1u << lane;
    }
    give(step, e, bytes > kBytes ? whole(any) : extended(value, bytes, ir::is_signed(step.in.type)));
  }
  loaded_.lanes = 0;
}

void UnknownValues::exchange(Step& step) {
  const Bytes value = source(step, 0);
  if (step.in.op == Opcode::Shfl) {
    const auto offset = constant(step.in, 1), control = constant(step.in, 2);
    Bytes moved{};
    if (offset && control) {
      const auto from =
          shuffle_sources(step.in.mods.mode, static_cast<uint32_t>(*offset), static_cast<uint32_t>(*control));
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        for (unsigned k = 0; k < kBytes; ++k) moved[k] |= (value[k] >> from[lane] & 1) << lane;
      if (any_of(value) != 0 && step.in.src[0].kind == ir::Operand::Kind::Register)
        step.origin = registers_[step.in.src[0].id].origin;
    }
    give(step, 0, moved);
    return give(step, 1, {});
  }
  // What one lane does not know, all learn.
  use_sources(step, How::Exchange);
  for (size_t d = 0; d < step.in.dst.size(); ++d) give(step, d, {});
}

void UnknownValues::compute(Step& step) {
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
      const auto kept = static_cast<unsigned>(std::min<uint64_t>((*length + 7) / 8, bytes));
      return give(step, 0, extended(shifted_right(a, *by, bytes, false), kept, ir::is_signed(in.type)));
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

void UnknownValues::follow(Warp& warp, uint32_t instruction, bool guard_alone, LaneMask lanes, LaneMask first,
                           LaneMask second) {
  const ir::Function& code = running_code(warp);
  if (registers_.size() < code.registers.size()) registers_.resize(code.registers.size());
  const ir::Instruction& in = code.instructions[instruction];
  Step step{warp, in, instruction, lanes, first, second};
  if (guard_alone) return use(step, in.guard.reg, How::Branch);
  switch (ir::info(in.op).family) {
    case Family::Load:
      return load(step);
    case Family::Store:
      use_addresses(step);
      return use_sources(step, How::Store, byte_count(in.type));
    case Family::Atomic:
    case Family::AsyncCopy:
      if (const LaneMask copied = loaded_.lanes & lanes; copied != 0)
        tell_use(step, How::Store, loaded_.origin, copied);
      use_addresses(step);
      use_sources(step, How::Atomic, byte_count(in.type));
      for (size_t d = 0; d < in.dst.size(); ++d) give(step, d, {});
      loaded_.lanes = 0;
      return;
    case Family::Control:
      return use_sources(step, How::Branch);
    case Family::WarpExchange:
    case Family::Barrier:
      return exchange(step);
    case Family::Matrix:
      // Which results depend on which lanes is not known here: none are said to.
      for (size_t d = 0; d < in.dst.size(); ++d) give(step, d, {});
      return;
    default:
      return compute(step);
  }
}

void forget_unknown(Warp& warp) {
  warp.unknown = 0;
  if (warp.unknown_values) warp.unknown_values->clear();
}

}  // namespace drywarp::exec
