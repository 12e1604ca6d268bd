// cvt and cvt.pack.
#include "float_value.h"

namespace drywarp::reference {
namespace {

using ir::Rounding;
using ir::Type;
using K = Number::Kind;

bool is_int(Type t) { return !ir::is_float(t); }

I128 clamped(I128 v, Type t) {
  I128 most = (I128{1} << (ir::bits(t) - (ir::is_signed(t) ? 1 : 0))) - 1, least = ir::is_signed(t) ? -most - 1 : 0;
  return v > most ? most : v < least ? least : v;
}

bool is_integral_mode(Rounding r) {
  return r == Rounding::Rni || r == Rounding::Rzi || r == Rounding::Rmi || r == Rounding::Rpi;
}

// The type of one element of a packed type.
Type element(Type t) {
  switch (t) {
    case Type::F16x2:
      return Type::F16;
    case Type::BF16x2:
      return Type::BF16;
    case Type::E4M3x2:
      return Type::E4M3;
    case Type::E5M2x2:
      return Type::E5M2;
    default:
      return t;
  }
}

uint64_t nan_of(Type t) {
  switch (t) {
    case Type::F16:
    case Type::BF16:
      return 0x7fff;
    case Type::E4M3:
    case Type::E5M2:
      return 0x7f;
    case Type::F64:
      return 0x7ff8000000000000u;
    case Type::TF32:
      return 0x7fffe000;
    default:
      return 0x7fffffff;
  }
}

uint64_t to_float(const ir::Instruction& in, Number n, Type to) {
  bool saturate = in.mods.satfinite || to == Type::E4M3 || to == Type::E5M2;
  if (in.mods.relu && n.kind != K::Nan && n.negative) n = {};
  Rounding r = is_integral_mode(in.mods.rounding) ? Rounding::Rn : in.mods.rounding;
  uint64_t bits = pack(n, format_of(to), r, nan_of(to), saturate);
  if (in.mods.sat && !in.mods.satfinite) {
    Number rounded = unpack(bits, format_of(to));
    uint64_t one = pack(from_integer(false, 1), format_of(to), Rounding::Rn, 0);
    bits = rounded.kind == K::Nan || rounded.negative ? 0 : bits > one ? one : bits;
  }
  // tf32 stands in an f32 whose low 13 bits are zero.
  if (to == Type::TF32 && n.kind != K::Nan) bits <<= 13;
  if (in.mods.ftz && to == Type::F32) bits = flushed(bits, to);
  return bits;
}

Number source(const Call& c, unsigned index, Type t, unsigned part) {
  unsigned width = ir::bits(t);
  uint64_t bits = c.raw(index) >> (part * width);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  // .ftz does nothing on the way to a half, and looks at a double before it is rounded (recorded on hardware).
  bool to_half =
      c.in.type == Type::F16 || c.in.type == Type::BF16 || c.in.type == Type::F16x2 || c.in.type == Type::BF16x2;
  if (c.in.mods.ftz && t == Type::F32 && !to_half) bits = flushed(bits, t);
  if (c.in.mods.ftz && t == Type::F64 && c.in.type == Type::F32 && (bits << 1 >> 1) < 0x3810000000000000u)
    bits &= uint64_t{1} << 63;
  return unpack(bits, format_of(t == Type::TF32 ? Type::F32 : t));
}

void to_int(Call& c) {
  const ir::Instruction& in = c.in;
  Number n = source(c, 0, in.type2, 0);
  unsigned width = ir::bits(in.type);
  if (n.kind == K::Nan) {
    bool pattern = in.type2 == Type::F64 || width == 64;
    return c.set(0, pattern ? uint64_t{1} << (width - 1) : 0, in.type);
  }
  I128 v;
  if (n.kind == K::Infinite)
    v = I128{1} << 100;
  else
    v = static_cast<I128>(to_integral(n, in.mods.rounding).mantissa);
  c.set(0, static_cast<uint64_t>(clamped(n.negative ? -v : v, in.type)), in.type);
}

}  // namespace

bool execute_convert(Call& c) {
  const ir::Instruction& in = c.in;
  if (in.op == ir::Opcode::CvtPack) {
    const bool small = in.mods.packed_bits != 0;
    const unsigned width = small ? in.mods.packed_bits : ir::bits(in.type);
    const bool is_signed = small ? in.mods.packed_signed : ir::is_signed(in.type);
    I128 most = (I128{1} << (width - (is_signed ? 1 : 0))) - 1, least = is_signed ? -most - 1 : 0;
    uint64_t mask = (uint64_t{1} << width) - 1;
    auto packed = [&](unsigned i) {
      I128 v = c.value(i, Type::S32);
      return static_cast<uint64_t>(v > most ? most : v < least ? least : v) & mask;
    };
    uint64_t high = packed(0), low = packed(1);
    uint64_t rest = in.src.size() > 2 ? c.raw(2) << (2 * width) : 0;
    return c.set(0, rest | (high << width) | low, Type::B32), true;
  }
  if (in.op != ir::Opcode::Cvt) return false;
  if (is_int(in.type) && is_int(in.type2)) {
    I128 v = c.value(0, in.type2);
    return c.set(0, static_cast<uint64_t>(in.mods.sat ? clamped(v, in.type) : v), in.type), true;
  }
  if (is_int(in.type)) return to_int(c), true;
  Type to = element(in.type);
  if (is_int(in.type2)) {
    I128 v = c.value(0, in.type2);
    Number n = from_integer(v < 0, static_cast<uint64_t>(v < 0 ? -v : v));
    return c.set(0, to_float(in, n, to), in.type), true;
  }
  if (to != in.type) {
    unsigned width = ir::bits(to);
    auto number = [&](unsigned part) {
      return in.src.size() > 1 ? source(c, 1 - part, in.type2, 0) : source(c, 0, element(in.type2), part);
    };
    return c.set(0, (to_float(in, number(1), to) << width) | to_float(in, number(0), to), in.type), true;
  }
  Number n = source(c, 0, in.type2, 0);
  bool half = to == Type::F16 || to == Type::BF16;
  if (n.kind == K::Nan && in.type2 == Type::F64 && half && !in.mods.sat)
    return c.set(0, (c.raw(0) >> 48 & 0x8000) | (to == Type::F16 ? 0x7e00 : 0x7fc0), in.type), true;
  if (to == Type::TF32 && in.mods.rounding == Rounding::Rna && n.kind != K::Finite)
    return c.set(0, (c.raw(0) & 0xffffe000) - (in.mods.satfinite ? 0x2000 : 0), in.type), true;
  if (is_integral_mode(in.mods.rounding) && n.kind == K::Finite && n.exponent < 0) n = to_integral(n, in.mods.rounding);
  return c.set(0, to_float(in, n, to), in.type), true;
}

}  // namespace drywarp::reference
