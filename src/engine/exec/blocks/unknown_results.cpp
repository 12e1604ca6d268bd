// Which bytes of an instruction's results are unknown, of those that its sources do not know.
#include <algorithm>
#include <bit>

#include "engine/exec/blocks/unknown_bytes.h"
#include "engine/exec/blocks/unknown_values.h"
#include "language/ir/matrix_shapes.h"

namespace drywarp::exec {

using ir::Opcode;

namespace {

std::optional<uint64_t> constant(const ir::Instruction& in, size_t index) {
  if (index >= in.src.size() || in.src[index].kind != ir::Operand::Kind::Immediate) return std::nullopt;
  return in.src[index].bits;
}

bool same_register(const ir::Instruction& in) {
  return in.src.size() == 2 && in.src[0].kind == ir::Operand::Kind::Register &&
         in.src[1].kind == ir::Operand::Kind::Register && in.src[0].id == in.src[1].id;
}

}  // namespace

void UnknownValues::load(Step& step) const {
  const unsigned bits = ir::bits(step.in.type), bytes = bits / 8;
  for (size_t e = 0; e < step.in.dst.size(); ++e) {
    Bytes value{};
    LaneMask any = 0;
    for (const observe::UnknownBytes& loaded : loaded_) {
      if (step.only && *step.only != loaded.origin) continue;
      for (LaneMask left = loaded.lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        const uint64_t unknown = uint64_t{loaded.bytes[lane]} >> (e * bytes);
        for (unsigned k = 0; k < std::min(bytes, kBytes); ++k) value[k] |= (unknown >> k & 1) << lane;
        if ((unknown & ((uint64_t{1} << bytes) - 1)) != 0) any |= 1u << lane;
      }
    }
    give(step, e, bytes > kBytes ? whole(any) : extended(value, bytes, ir::is_signed(step.in.type)));
  }
}

// A texel has its own format, and coordinates that choose it.
void UnknownValues::fetch(Step& step) const {
  LaneMask lanes = 0;
  for (size_t s = 0; s < step.in.src.size(); ++s) lanes |= any_of(source(step, s));
  for (const observe::UnknownBytes& loaded : loaded_)
    if (!step.only || *step.only == loaded.origin) lanes |= loaded.lanes;
  for (size_t d = 0; d < step.in.dst.size(); ++d) give(step, d, whole(lanes));
}

// The lane's own distance tells where its value is from, and so does what nobody knows of it.
void UnknownValues::shuffle(Step& step) const {
  const Bytes value = source(step, 0);
  const LaneMask lost = any_of(source(step, 1)) | any_of(source(step, 2));
  Bytes moved = whole(lost);
  if (inactive_ != 0 && (!step.only || *step.only == inactive_origin_)) moved = either(moved, whole(inactive_));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if ((inactive_ >> lane & 1) != 0) continue;
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
  const auto unknown = [&](unsigned row, unsigned byte) {
    return std::ranges::any_of(loaded_, [&](const observe::UnknownBytes& loaded) {
      return (!step.only || *step.only == loaded.origin) && (loaded.lanes >> row & 1) != 0 &&
             (loaded.bytes[row] >> byte & 1) != 0;
    });
  };
  for (unsigned m = 0; m < step.in.dst.size(); ++m) {
    Bytes value{};
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned k = 0; k < 4; ++k) {
        const bool across = step.in.mods.matrix.transposed;
        const unsigned row = across ? 2 * (lane % 4) + k / 2 : lane / 4;
        const unsigned byte = across ? 2 * (lane / 4) + k % 2 : 4 * (lane % 4) + k, from = 8 * m + row;
        if (unknown(from, byte)) value[k] |= 1u << lane;
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

}  // namespace drywarp::exec
