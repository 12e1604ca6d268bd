// Scalar and packed video instructions, as the pseudocode of ISA 9.7.16 and 9.7.17 has them.
#include "internal.h"

namespace drywarp::reference {
namespace {

using ir::Opcode;
using ir::Type;

I128 clamped(I128 v, unsigned bits, bool is_signed) {
  I128 most = (I128{1} << (bits - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;
  return v > most ? most : v < least ? least : v;
}

I128 part(const Call& c, unsigned i, Type t) {
  const char* s = c.in.src[i].selector.data();
  bool is_signed = ir::is_signed(t);
  if (s[0] == 'b') return extend(c.raw(i) >> (8 * (s[1] - '0')), 8, is_signed);
  if (s[0] == 'h') return extend(c.raw(i) >> (16 * (s[1] - '0')), 16, is_signed);
  return extend(c.raw(i), 32, is_signed);
}

void merge(Call& c, I128 v, Type t, bool saturate) {
  const char* s = c.in.dst[0].selector.data();
  unsigned bits = s[0] == 'b' ? 8 : s[0] == 'h' ? 16 : 32;
  if (saturate) v = clamped(v, bits, ir::is_signed(t));
  auto r = static_cast<uint64_t>(v) & 0xffffffff;
  if (bits < 32) {
    unsigned shift = bits * static_cast<unsigned>(s[1] - '0');
    uint64_t mask = ((uint64_t{1} << bits) - 1) << shift;
    r = ((r << shift) & mask) | (c.raw(2) & ~mask);
  } else if (c.in.src.size() > 2) {
    I128 x = extend(r, 32, ir::is_signed(t)), y = extend(c.raw(2), 32, ir::is_signed(t));
    const ir::AtomOp second = c.in.mods.atom;
    r = static_cast<uint64_t>(second == ir::AtomOp::Min   ? (x < y ? x : y)
                              : second == ir::AtomOp::Max ? (x > y ? x : y)
                                                          : x + y);
  }
  c.set(0, r, Type::U32);
}

ir::Compare on_extended(ir::Compare how) { return how; }

int order(I128 a, I128 b) { return a == b ? 0 : a < b ? -1 : 1; }

I128 operate(Opcode op, const ir::Instruction& in, I128 a, I128 b) {
  switch (op) {
    case Opcode::Vadd:
    case Opcode::Vadd2:
    case Opcode::Vadd4:
      return a + b;
    case Opcode::Vsub:
    case Opcode::Vsub2:
    case Opcode::Vsub4:
      return a - b;
    case Opcode::Vabsdiff:
    case Opcode::Vabsdiff2:
    case Opcode::Vabsdiff4:
      return a > b ? a - b : b - a;
    case Opcode::Vmin:
    case Opcode::Vmin2:
    case Opcode::Vmin4:
      return a < b ? a : b;
    case Opcode::Vmax:
    case Opcode::Vmax2:
    case Opcode::Vmax4:
      return a > b ? a : b;
    case Opcode::Vavrg2:
    case Opcode::Vavrg4:
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default:
      return compare_order(order(a, b), on_extended(in.mods.compare));
  }
}

void multiply_add(Call& c) {
  const ir::Instruction& in = c.in;
  bool flip = in.src[0].negate != in.src[1].negate, minus = in.src[2].negate;
  bool is_signed = ir::is_signed(in.type2) || ir::is_signed(in.type3) || flip || minus;
  I128 product = part(c, 0, in.type2) * part(c, 1, in.type3), addend = extend(c.raw(2), 32, is_signed);
  I128 sum = (flip ? -product : product) + (minus && !flip ? -addend : addend) + (c.in.mods.plus_one ? 1 : 0);
  sum >>= c.in.mods.shift_right;
  if (in.mods.sat) sum = clamped(sum, 32, is_signed);
  c.set(0, static_cast<uint64_t>(sum), Type::U32);
}

void packed(Call& c, unsigned count) {
  const ir::Instruction& in = c.in;
  unsigned bits = 32 / count;
  bool three = in.type3 != Type::None;
  Type types[2] = {three ? in.type2 : in.type, three ? in.type3 : in.type2};
  auto source = [&](unsigned operand, unsigned i) {
    const char* s = in.src[operand].selector.data();
    unsigned pick = s[0] ? static_cast<unsigned>(s[count - i] - '0') : operand * count + i;
    return extend(c.raw(pick / count) >> (bits * (pick % count)), bits, ir::is_signed(types[operand]));
  };
  const char* mask = in.dst[0].selector.data();
  bool sum = c.in.mods.atom == ir::AtomOp::Add;
  uint64_t third = in.src.size() > 2 ? c.raw(2) : 0, result = sum ? third : 0;
  for (unsigned i = 0; i < count; ++i) {
    bool chosen = mask[0] == 0;
    for (unsigned k = 1; mask[0] && mask[k]; ++k) chosen |= static_cast<unsigned>(mask[k] - '0') == i;
    I128 t = operate(in.op, in, source(0, i), source(1, i));
    if (in.mods.sat) t = clamped(t, bits, three && ir::is_signed(in.type));
    uint64_t field = (uint64_t{1} << bits) - 1;
    if (sum)
      result += chosen ? static_cast<uint64_t>(t) : 0;
    else
      result |= chosen ? (static_cast<uint64_t>(t) & field) << (bits * i) : third & (field << (bits * i));
  }
  c.set(0, result, Type::U32);
}

}  // namespace

bool execute_video(Call& c) {
  const ir::Instruction& in = c.in;
  if (in.op >= Opcode::Vadd2 && in.op <= Opcode::Vset2) return packed(c, 2), true;
  if (in.op >= Opcode::Vadd4 && in.op <= Opcode::Vset4) return packed(c, 4), true;
  switch (in.op) {
    case Opcode::Vadd:
    case Opcode::Vsub:
    case Opcode::Vabsdiff:
    case Opcode::Vmin:
    case Opcode::Vmax:
      return merge(c, operate(in.op, in, part(c, 0, in.type2), part(c, 1, in.type3)), in.type, in.mods.sat), true;
    case Opcode::Vset: {
      bool p = compare_order(order(part(c, 0, in.type), part(c, 1, in.type2)), in.mods.compare);
      return merge(c, p, Type::U32, false), true;
    }
    case Opcode::Vshl:
    case Opcode::Vshr: {
      I128 n = part(c, 1, Type::U32);
      n = in.mods.wrap ? n & 31 : n > 32 ? 32 : n;
      I128 a = part(c, 0, in.type2);
      return merge(c, in.op == Opcode::Vshl ? a << n : a >> n, in.type, in.mods.sat), true;
    }
    case Opcode::Vmad:
      return multiply_add(c), true;
    default:
      return false;
  }
}

}  // namespace drywarp::reference
