// setp, set, selp, slct, testp.
#include "float_value.h"

namespace drywarp::reference {
namespace {

using ir::Type;
using K = Number::Kind;

bool is_half(Type t) { return t == Type::F16 || t == Type::BF16 || t == Type::F16x2 || t == Type::BF16x2; }
bool is_half_pair(Type t) { return t == Type::F16x2 || t == Type::BF16x2; }

int order_of(const Number& a, const Number& b) {
  if (a.kind == K::Nan || b.kind == K::Nan) return 2;
  auto zero = [](const Number& n) { return n.kind == K::Finite && n.mantissa == 0; };
  if (zero(a) && zero(b)) return 0;
  if (a.kind == K::Infinite || b.kind == K::Infinite) {
    int x = a.kind == K::Infinite ? (a.negative ? -1 : 1) : 0, y = b.kind == K::Infinite ? (b.negative ? -1 : 1) : 0;
    return x == y ? 0 : x < y ? -1 : 1;
  }
  Number minus = b;
  minus.negative = !b.negative;
  Number d = add(a, minus, ir::Rounding::Rn);
  return d.mantissa == 0 ? 0 : d.negative ? -1 : 1;
}

bool comparison(const Call& c, Type t, unsigned part) {
  int order;
  if (ir::is_float(t)) {
    auto number = [&](unsigned i) {
      uint64_t bits = is_half(t)       ? (c.raw(i) >> (16 * part)) & 0xffff
                      : t == Type::F32 ? c.raw(i) & 0xffffffff
                                       : c.raw(i);
      if (c.in.mods.ftz && t != Type::F64 && t != Type::BF16 && t != Type::BF16x2) bits = flushed(bits, t);
      return unpack(bits, format_of(t));
    };
    order = order_of(number(0), number(1));
  } else {
    I128 a = c.value(0, t), b = c.value(1, t);
    order = a == b ? 0 : a < b ? -1 : 1;
  }
  return compare_order(order, c.in.mods.compare);
}

void set_value(Call& c) {
  const ir::Instruction& in = c.in;
  bool q = in.src.size() > 2 && c.predicate(2);
  auto one = [&](unsigned part, uint64_t yes) {
    return combined(comparison(c, in.type2, part), q, in.mods.combine) ? yes : 0;
  };
  uint64_t yes = in.type == Type::F32                             ? 0x3f800000
                 : in.type == Type::F16 || in.type == Type::F16x2 ? 0x3c00
                 : is_half(in.type)                               ? 0x3f80
                 : is_half_pair(in.type2)                         ? 0xffff
                                                                  : ~uint64_t{0};
  uint64_t result = one(0, yes);
  if (is_half_pair(in.type2)) result |= one(1, yes) << 16;
  c.set(0, result, in.type);
}

void test_property(Call& c) {
  Number n = unpack(c.in.type == Type::F32 ? c.raw(0) & 0xffffffff : c.raw(0), format_of(c.in.type));
  bool subnormal = n.kind == K::Finite && n.mantissa && !(n.mantissa >> format_of(c.in.type).mantissa_bits);
  bool p = false;
  switch (c.in.mods.mode) {
    case ir::Mode::TestpFinite:
      p = n.kind == K::Finite;
      break;
    case ir::Mode::TestpInfinite:
      p = n.kind == K::Infinite;
      break;
    case ir::Mode::TestpNumber:
      p = n.kind != K::Nan;
      break;
    case ir::Mode::TestpNotanumber:
      p = n.kind == K::Nan;
      break;
    case ir::Mode::TestpNormal:
      p = n.kind == K::Finite && !subnormal;
      break;
    default:
      p = subnormal;
  }
  c.set(0, p, Type::Pred);
}

}  // namespace

bool execute_compare(Call& c) {
  const ir::Instruction& in = c.in;
  switch (in.op) {
    case ir::Opcode::Setp: {
      bool p = comparison(c, in.type, 0), q = in.src.size() > 2 && c.predicate(2);
      c.set(0, combined(p, q, in.mods.combine), Type::Pred);
      bool other = is_half_pair(in.type) ? comparison(c, in.type, 1) : !p;
      if (in.dst.size() > 1) c.set(1, combined(other, q, in.mods.combine), Type::Pred);
      return true;
    }
    case ir::Opcode::Set:
      return set_value(c), true;
    case ir::Opcode::Selp:
      return c.set(0, c.predicate(2) ? c.raw(0) : c.raw(1), in.type), true;
    case ir::Opcode::Slct: {
      bool first;
      if (in.type2 == Type::F32) {
        uint64_t bits = c.raw(2) & 0xffffffff;
        if (in.mods.ftz) bits = flushed(bits, Type::F32);
        first = compare_order(order_of(unpack(bits, format_of(Type::F32)), {}), ir::Compare::Ge);
      } else {
        first = c.value(2, Type::S32) >= 0;
      }
      return c.set(0, first ? c.raw(0) : c.raw(1), in.type), true;
    }
    case ir::Opcode::Testp:
      return test_property(c), true;
    default:
      return false;
  }
}

}  // namespace drywarp::reference
