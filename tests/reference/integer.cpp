// Integer arithmetic, logic and bits.
#include "internal.h"

namespace drywarp::reference {
namespace {

using ir::Mode;
using ir::Opcode;
using ir::Part;
using ir::Type;

I128 clamp_to(I128 v, Type t) {
  I128 most = (I128{1} << (ir::bits(t) - (ir::is_signed(t) ? 1 : 0))) - 1, least = ir::is_signed(t) ? -most - 1 : 0;
  return v > most ? most : v < least ? least : v;
}

I128 product(const Call& c) {
  Type t = c.in.type;
  I128 a = c.value(0, t), b = c.value(1, t);
  // U64 products need all 128 bits: the wrap-around of the signed type keeps them.
  U128 p = static_cast<U128>(a) * static_cast<U128>(b);
  if (c.in.mods.part != Part::Hi) return static_cast<I128>(p);
  if (!ir::is_signed(t)) return static_cast<I128>(p >> ir::bits(t));
  return static_cast<I128>(p) >> ir::bits(t);
}

Type product_type(const Call& c) {
  if (c.in.mods.part != Part::Wide) return c.in.type;
  switch (c.in.type) {
    case Type::U16:
      return Type::U32;
    case Type::S16:
      return Type::S32;
    case Type::U32:
      return Type::U64;
    default:
      return Type::S64;
  }
}

I128 product24(const Call& c) {
  bool is_signed = ir::is_signed(c.in.type);
  I128 p = extend(c.raw(0), 24, is_signed) * extend(c.raw(1), 24, is_signed);
  return c.in.mods.part == Part::Hi ? (p >> 16) : p;
}

// a + b + carry in the type's width; the flag is the unsigned carry.
void add_carry(Call& c, I128 a, I128 b, unsigned carry) {
  U128 mask = (U128{1} << ir::bits(c.in.type)) - 1;
  U128 sum = (static_cast<U128>(a) & mask) + (static_cast<U128>(b) & mask) + carry;
  c.set(0, static_cast<uint64_t>(sum), c.in.type);
  if (c.in.mods.carry_out) c.state.carry = (sum >> ir::bits(c.in.type)) & 1;
}

void subtract_borrow(Call& c, unsigned borrow) {
  I128 difference =
      extend(c.raw(0), ir::bits(c.in.type), false) - extend(c.raw(1), ir::bits(c.in.type), false) - borrow;
  c.set(0, static_cast<uint64_t>(difference), c.in.type);
  if (c.in.mods.carry_out) c.state.carry = difference >= 0;  // no borrow
}

template <class F>
void pairs(Call& c, F f) {
  uint64_t result = 0;
  bool is_signed = ir::is_signed(c.in.type);
  for (unsigned i = 0; i < 2; ++i) {
    I128 a = extend(c.raw(0) >> (16 * i), 16, is_signed);
    I128 b = c.in.src.size() > 1 ? extend(c.raw(1) >> (16 * i), 16, is_signed) : 0;
    I128 r = f(a, b);
    if (c.in.mods.relu && r < 0) r = 0;
    result |= (static_cast<uint64_t>(r) & 0xffff) << (16 * i);
  }
  c.set(0, result, c.in.type);
}

bool is_integer_pair(Type t) { return t == Type::U16x2 || t == Type::S16x2; }

void divide(Call& c, bool remainder) {
  I128 a = c.value(0, c.in.type), b = c.value(1, c.in.type);
  // What the GPU leaves for a division by zero.
  I128 r = b == 0 ? I128{-1} : remainder ? a % b : a / b;
  c.set(0, static_cast<uint64_t>(r), c.in.type);
}

void shift(Call& c) {
  Type t = c.in.type;
  uint64_t n = c.raw(1) & 0xffffffff;
  unsigned bits = ir::bits(t);
  I128 a = c.value(0, t);
  if (c.in.op == Opcode::Shl) return c.set(0, n >= bits ? 0 : static_cast<uint64_t>(static_cast<U128>(a) << n), t);
  c.set(0, static_cast<uint64_t>(a >> (n > bits ? bits : n)), t);
}

void funnel(Call& c) {
  uint64_t both = (c.raw(1) << 32) | (c.raw(0) & 0xffffffff), n = c.raw(2) & 0xffffffff;
  n = c.in.mods.wrap ? n & 31 : n > 32 ? 32 : n;
  uint64_t r = c.in.mods.left ? static_cast<uint64_t>((static_cast<U128>(both) << n) >> 32) : both >> n;
  c.set(0, r, Type::U32);
}

void lop3(Call& c) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    unsigned index = ((c.raw(0) >> i) & 1) * 4 + ((c.raw(1) >> i) & 1) * 2 + ((c.raw(2) >> i) & 1);
    result |= ((c.raw(3) >> index) & 1) << i;
  }
  c.set(0, result, Type::U32);
  if (c.in.dst.size() > 1) c.set(1, combined(result != 0, c.predicate(4), c.in.mods.combine), Type::Pred);
}

void find_leading(Call& c) {
  Type t = c.in.type;
  int msb = static_cast<int>(ir::bits(t)) - 1;
  bool wanted = !(ir::is_signed(t) && ((c.raw(0) >> msb) & 1));
  for (int i = msb; i >= 0; --i)
    if (((c.raw(0) >> i) & 1) == (wanted ? 1u : 0u))
      return c.set(0, static_cast<uint64_t>(c.in.mods.shiftamt ? msb - i : i), Type::U32);
  c.set(0, 0xffffffff, Type::U32);
}

void find_nth(Call& c) {
  auto mask = static_cast<uint32_t>(c.raw(0));
  int64_t base = static_cast<int64_t>(c.raw(1) & 0xffffffff);
  auto offset = static_cast<int64_t>(extend(c.raw(2), 32, true));
  uint64_t result = 0xffffffff;
  if (base < 32) {
    if (offset == 0) {
      if ((mask >> base) & 1) result = static_cast<uint64_t>(base);
    } else {
      int64_t count = (offset > 0 ? offset : -offset) - 1;
      for (int64_t at = base; at >= 0 && at < 32; at += offset > 0 ? 1 : -1) {
        if (!((mask >> at) & 1)) continue;
        if (count-- == 0) {
          result = static_cast<uint64_t>(at);
          break;
        }
      }
    }
  }
  c.set(0, result, Type::U32);
}

void extract_field(Call& c) {
  Type t = c.in.type;
  // The 64-bit forms use all 32 bits of position and length (recorded on hardware), the others 8.
  uint64_t field = ir::bits(t) == 64 ? 0xffffffff : 0xff;
  uint64_t msb = ir::bits(t) - 1, position = c.raw(1) & field, length = c.raw(2) & field;
  uint64_t a = c.raw(0), result = 0;
  uint64_t sign_at = position + length - 1 < msb ? position + length - 1 : msb;
  uint64_t sign = ir::is_signed(t) && length ? (a >> sign_at) & 1 : 0;
  for (uint64_t i = 0; i <= msb; ++i)
    result |= (i < length && position + i <= msb ? (a >> (position + i)) & 1 : sign) << i;
  c.set(0, result, t);
}

void insert_field(Call& c) {
  uint64_t field = ir::bits(c.in.type) == 64 ? 0xffffffff : 0xff;
  uint64_t msb = ir::bits(c.in.type) - 1, position = c.raw(2) & field, length = c.raw(3) & field;
  uint64_t result = c.raw(1);
  for (uint64_t i = 0; i < length && position + i <= msb; ++i) {
    result &= ~(uint64_t{1} << (position + i));
    result |= ((c.raw(0) >> i) & 1) << (position + i);
  }
  c.set(0, result, c.in.type);
}

void bit_mask(Call& c) {
  uint64_t a = c.raw(0) & 0xffffffff, b = c.raw(1) & 0xffffffff, result = 0;
  if (c.in.mods.wrap) a &= 31, b &= 31;
  for (uint64_t i = 0; i < 32; ++i)
    if (i >= a && i - a < b) result |= uint64_t{1} << i;
  c.set(0, result, Type::U32);
}

void extend_from(Call& c) {
  uint64_t n = c.raw(1) & 0xffffffff;
  if (!c.in.mods.wrap && n >= 32) return c.set(0, c.raw(0), Type::U32);
  n &= 31;
  c.set(0, n == 0 ? 0 : static_cast<uint64_t>(extend(c.raw(0), static_cast<unsigned>(n), ir::is_signed(c.in.type))),
        Type::U32);
}

void permute(Call& c) {
  uint64_t both = (c.raw(1) << 32) | (c.raw(0) & 0xffffffff);
  unsigned s = c.raw(2) & 3;
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    unsigned byte = 0;
    bool sign = false;
    switch (c.in.mods.mode) {
      case Mode::PrmtF4e:
        byte = (s + i) & 7;
        break;
      case Mode::PrmtB4e:
        byte = (s + 8 - i) & 7;
        break;
      case Mode::PrmtRc8:
        byte = s;
        break;
      case Mode::PrmtEcl:
        byte = i < s ? s : i;
        break;
      case Mode::PrmtEcr:
        byte = i > s ? s : i;
        break;
      case Mode::PrmtRc16:
        byte = (s & 1) * 2 + (i & 1);
        break;
      default:
        byte = (c.raw(2) >> (4 * i)) & 7;
        sign = (c.raw(2) >> (4 * i)) & 8;
    }
    uint64_t v = (both >> (8 * byte)) & 0xff;
    if (sign) v = v & 0x80 ? 0xff : 0;
    result |= v << (8 * i);
  }
  c.set(0, result, Type::U32);
}

void dot(Call& c, unsigned terms, unsigned bits, unsigned first) {
  I128 sum = extend(c.raw(2), 32, false);
  for (unsigned i = 0; i < terms; ++i)
    sum += extend(c.raw(0) >> (bits * i), bits, ir::is_signed(c.in.type)) *
           extend(c.raw(1) >> (8 * (first + i)), 8, ir::is_signed(c.in.type2));
  c.set(0, static_cast<uint64_t>(sum), Type::U32);
}

uint64_t low(const Call& c) { return c.raw(0) & (~uint64_t{0} >> (64 - ir::bits(c.in.type))); }

}  // namespace

bool execute_integer(Call& c) {
  const ir::Instruction& in = c.in;
  Type t = in.type;
  auto value = [&](unsigned i) { return c.value(i, t); };
  auto set = [&](I128 v, Type as) { c.set(0, static_cast<uint64_t>(v), as); };
  switch (in.op) {
    case Opcode::Add:
      if (is_integer_pair(t)) return pairs(c, [](I128 a, I128 b) { return a + b; }), true;
      if (in.mods.sat) return set(clamp_to(value(0) + value(1), t), t), true;
      return add_carry(c, value(0), value(1), 0), true;
    case Opcode::Sub:
      if (is_integer_pair(t)) return pairs(c, [](I128 a, I128 b) { return a - b; }), true;
      if (in.mods.sat) return set(clamp_to(value(0) - value(1), t), t), true;
      return subtract_borrow(c, 0), true;
    case Opcode::Addc:
      return add_carry(c, value(0), value(1), c.state.carry), true;
    case Opcode::Subc:
      return subtract_borrow(c, !c.state.carry), true;
    case Opcode::Mul:
      return set(product(c), product_type(c)), true;
    case Opcode::Mad: {
      Type wide = product_type(c);
      if (in.mods.carry_out) return add_carry(c, product(c), value(2), 0), true;
      if (in.mods.sat) return set(clamp_to(product(c) + value(2), t), t), true;
      return set(static_cast<I128>(static_cast<U128>(product(c)) + static_cast<U128>(c.value(2, wide))), wide), true;
    }
    case Opcode::Madc:
      return add_carry(c, product(c), value(2), c.state.carry), true;
    case Opcode::Mul24:
      return set(product24(c), t), true;
    case Opcode::Mad24: {
      if (!in.mods.sat) return set(product24(c) + value(2), t), true;
      return set(clamp_to(extend(static_cast<uint64_t>(product24(c)), 32, true) + value(2), t), t), true;
    }
    case Opcode::Sad:
      return set((value(0) > value(1) ? value(0) - value(1) : value(1) - value(0)) + value(2), t), true;
    case Opcode::Div:
      return divide(c, false), true;
    case Opcode::Rem:
      return divide(c, true), true;
    case Opcode::Abs:
      return set(value(0) < 0 ? -value(0) : value(0), t), true;
    case Opcode::Neg:
      if (is_integer_pair(t)) return pairs(c, [](I128 a, I128) { return -a; }), true;
      return set(-value(0), t), true;
    case Opcode::Min:
    case Opcode::Max: {
      bool max = in.op == Opcode::Max;
      auto pick = [&](I128 a, I128 b) { return (a < b) != max ? a : b; };
      if (is_integer_pair(t)) return pairs(c, pick), true;
      I128 r = pick(value(0), value(1));
      return set(in.mods.relu && r < 0 ? 0 : r, t), true;
    }
    case Opcode::Dp4a:
      return dot(c, 4, 8, 0), true;
    case Opcode::Dp2a:
      return dot(c, 2, 16, in.mods.part == Part::Hi ? 2 : 0), true;
    case Opcode::Popc:
      return set(__builtin_popcountll(low(c)), Type::U32), true;
    case Opcode::Clz:
      return set(low(c) ? __builtin_clzll(low(c)) - (64 - static_cast<int>(ir::bits(t))) : ir::bits(t), Type::U32),
             true;
    case Opcode::Bfind:
      return find_leading(c), true;
    case Opcode::Fns:
      return find_nth(c), true;
    case Opcode::Brev: {
      uint64_t r = 0;
      for (unsigned i = 0; i < ir::bits(t); ++i) r |= ((c.raw(0) >> i) & 1) << (ir::bits(t) - 1 - i);
      return c.set(0, r, t), true;
    }
    case Opcode::Bfe:
      return extract_field(c), true;
    case Opcode::Bfi:
      return insert_field(c), true;
    case Opcode::Bmsk:
      return bit_mask(c), true;
    case Opcode::Szext:
      return extend_from(c), true;
    case Opcode::Prmt:
      return permute(c), true;
    case Opcode::And:
      return c.set(0, c.source(0) & c.source(1), t), true;
    case Opcode::Or:
      return c.set(0, c.source(0) | c.source(1), t), true;
    case Opcode::Xor:
      return c.set(0, c.source(0) ^ c.source(1), t), true;
    case Opcode::Not:
      return c.set(0, ~c.source(0), t), true;
    case Opcode::Cnot:
      return c.set(0, low(c) == 0, t), true;
    case Opcode::Lop3:
      return lop3(c), true;
    case Opcode::Shl:
    case Opcode::Shr:
      return shift(c), true;
    case Opcode::Shf:
      return funnel(c), true;
    default:
      return false;
  }
}

}  // namespace drywarp::reference
