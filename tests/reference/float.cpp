// Floating-point arithmetic of every format, element by element, in integers.
#include "float_value.h"

namespace drywarp::reference {
namespace {

using ir::Opcode;
using ir::Type;
using K = Number::Kind;

Number normalised(Number n, int bits) {
  int shift = bits - bit_length(n.mantissa);
  n.mantissa = shift >= 0 ? n.mantissa << shift : n.mantissa >> -shift;
  n.exponent -= shift;
  return n;
}

Number divide(const Number& a, const Number& b) {
  bool negative = a.negative != b.negative;
  if (a.kind == K::Nan || b.kind == K::Nan) return {K::Nan};
  if (a.kind == K::Infinite) return b.kind == K::Infinite ? Number{K::Nan} : Number{K::Infinite, negative};
  if (b.kind == K::Infinite) return {K::Finite, negative};
  if (b.mantissa == 0) return a.mantissa == 0 ? Number{K::Nan} : Number{K::Infinite, negative};
  if (a.mantissa == 0) return {K::Finite, negative};
  Number x = normalised(a, 124), y = normalised(b, 54);
  U128 q = x.mantissa / y.mantissa;
  // A remainder shows in a bit below all that any format keeps.
  return {K::Finite, negative, (q << 1) | (x.mantissa % y.mantissa ? 1 : 0), x.exponent - y.exponent - 1};
}

Number square_root(const Number& a) {
  if (a.kind == K::Nan) return a;
  if (a.kind == K::Finite && a.mantissa == 0) return a;
  if (a.negative) return {K::Nan};
  if (a.kind == K::Infinite) return a;
  Number x = normalised(a, 124);
  if (x.exponent & 1) x.mantissa <<= 1, --x.exponent;
  U128 root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    U128 t = root | (U128{1} << bit);
    if (t * t <= x.mantissa) root = t;
  }
  return {K::Finite, false, (root << 1) | (root * root != x.mantissa ? 1 : 0), x.exponent / 2 - 1};
}

struct Element {
  Type type;
  Format format;
  uint64_t sign, nan;
};

Element element_of(Type t) {
  switch (t) {
    case Type::F16:
    case Type::F16x2:
      return {Type::F16, format_of(t), 0x8000, 0x7fff};
    case Type::BF16:
    case Type::BF16x2:
      return {Type::BF16, format_of(t), 0x8000, 0x7fff};
    case Type::F64:
      return {Type::F64, format_of(t), uint64_t{1} << 63, 0xfff8000000000000u};
    default:
      return {Type::F32, format_of(t), 0x80000000u, 0x7fffffffu};
  }
}

// -0 is below +0 here.
uint64_t extreme(const Element& e, uint64_t a, uint64_t b, bool max, bool propagate) {
  bool nan_a = unpack(a, e.format).kind == K::Nan, nan_b = unpack(b, e.format).kind == K::Nan;
  if ((nan_a && nan_b) || (propagate && (nan_a || nan_b))) return e.nan;
  if (nan_a) return b;
  if (nan_b) return a;
  auto key = [&](uint64_t v) { return v & e.sign ? -static_cast<I128>(v & ~e.sign) - 1 : static_cast<I128>(v); };
  return (key(a) < key(b)) != max ? a : b;
}

uint64_t fold_min_max(const ir::Instruction& in, const Element& e, const std::vector<uint64_t>& v) {
  bool max = in.op == Opcode::Max;
  uint64_t sign = 0, result = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    uint64_t x = v[i];
    sign ^= x & e.sign;
    if (in.mods.xorsign_abs || in.mods.abs) x &= ~e.sign;
    result = i ? extreme(e, result, x, max, in.mods.nan) : x;
  }
  if (in.mods.xorsign_abs && unpack(result, e.format).kind != K::Nan) result ^= sign;
  return result;
}

uint64_t finish(const ir::Instruction& in, const Element& e, const Number& n) {
  Number r = n;
  if (in.mods.relu && r.kind != K::Nan && r.negative) r = {};
  uint64_t bits = pack(r, e.format, in.mods.rounding, e.nan);
  if (!in.mods.sat) return bits;
  Number rounded = unpack(bits, e.format);
  if (rounded.kind == K::Nan || rounded.negative) return 0;
  uint64_t one = pack(from_integer(false, 1), e.format, ir::Rounding::Rn, e.nan);
  return bits > one ? one : bits;  // bits of positive numbers are in their order
}

uint64_t compute(const ir::Instruction& in, const Element& e, std::vector<uint64_t> bits,
                 const std::vector<Number>& v) {
  ir::Rounding r = in.mods.rounding;
  auto minus = [](Number n) { return n.negative = !n.negative, n; };
  switch (in.op) {
    case Opcode::Add:
      return finish(in, e, add(v[0], v[1], r));
    case Opcode::Sub:
      return finish(in, e, add(v[0], minus(v[1]), r));
    case Opcode::Mul:
      return finish(in, e, multiply(v[0], v[1]));
    case Opcode::Mad:
    case Opcode::Fma:
      return finish(in, e, add(multiply(v[0], v[1]), v[2], r));
    case Opcode::Div:
      return finish(in, e, divide(v[0], v[1]));
    case Opcode::Rcp:
      return finish(in, e, divide(from_integer(false, 1), v[0]));
    case Opcode::Sqrt:
      return finish(in, e, square_root(v[0]));
    case Opcode::Abs:
    case Opcode::Neg:
      // Of the halves a NaN becomes the one NaN; f32 and f64 leave it open.
      if (v[0].kind == K::Nan && ir::bits(e.type) == 16) return e.nan;
      return in.op == Opcode::Abs ? bits[0] & ~e.sign : bits[0] ^ e.sign;
    case Opcode::Copysign:
      return (bits[1] & ~e.sign) | (bits[0] & e.sign);
    default: {
      uint64_t m = fold_min_max(in, e, bits);
      return in.mods.relu ? finish(in, e, unpack(m, e.format)) : m;
    }
  }
}

}  // namespace

uint64_t flushed(uint64_t bits, Type element) {
  Format f = format_of(element);
  uint64_t exponent = (bits >> f.mantissa_bits) & ((uint64_t{1} << f.exponent_bits) - 1);
  return exponent == 0 ? bits & (uint64_t{1} << (f.mantissa_bits + f.exponent_bits)) : bits;
}

bool execute_float(Call& c) {
  const ir::Instruction& in = c.in;
  Element e = element_of(in.type);
  unsigned width = ir::bits(e.type), count = ir::bits(in.type) / width;
  bool flush = in.mods.ftz && e.type != Type::BF16;
  uint64_t mask = ~uint64_t{0} >> (64 - width), result = 0;
  for (unsigned part = 0; part < count; ++part) {
    std::vector<uint64_t> bits;
    std::vector<Number> numbers;
    for (unsigned i = 0; i < in.src.size(); ++i) {
      uint64_t b = (c.raw(i) >> (part * width)) & mask;
      Format format = e.format;
      bool mixed = in.type == Type::F32 && in.type2 != Type::None && i + 1 < in.src.size();
      if (mixed) format = format_of(in.type2), b &= 0xffff;
      if (flush && !mixed) b = flushed(b, e.type);
      bits.push_back(b);
      numbers.push_back(unpack(b, format));
    }
    uint64_t r = compute(in, e, bits, numbers) & mask;
    if (flush) r = flushed(r, e.type);
    result |= r << (part * width);
  }
  c.set(0, result, in.type);
  return true;
}

}  // namespace drywarp::reference
