#include "number.h"

#include <algorithm>
#include <cmath>

namespace drywarp::reference {
namespace {

// Whether a value cut to `kept` with the cut-off part compared to half a unit (-1 below, 0 tie, 1 above; `exact`:
// none).
bool rounds_up(bool negative, bool odd, bool exact, int against_half, ir::Rounding r) {
  using R = ir::Rounding;
  if (exact) return false;
  switch (r) {
    case R::Rz:
    case R::Rzi:
      return false;
    case R::Rm:
    case R::Rmi:
      return negative;
    case R::Rp:
    case R::Rpi:
      return !negative;
    case R::Rna:
      return against_half >= 0;
    default:
      return against_half > 0 || (against_half == 0 && odd);
  }
}

// mantissa / 2^shift, rounded to an integer.
U128 shift_right(U128 m, int shift, bool negative, ir::Rounding r) {
  if (shift <= 0) return m << -shift;
  if (shift > 126) return rounds_up(negative, false, m == 0, -1, r) ? 1 : 0;
  U128 kept = m >> shift, rest = m & ((U128{1} << shift) - 1), half = U128{1} << (shift - 1);
  bool up = rounds_up(negative, kept & 1, rest == 0, rest > half ? 1 : rest == half ? 0 : -1, r);
  return kept + (up ? 1 : 0);
}

}  // namespace

int bit_length(U128 v) {
  int n = 0;
  for (; v; v >>= 1) ++n;
  return n;
}

Format format_of(ir::Type t) {
  using T = ir::Type;
  switch (t) {
    case T::F16:
    case T::F16x2:
      return {10, 5, true};
    case T::BF16:
    case T::BF16x2:
      return {7, 8, true};
    case T::F64:
      return {52, 11, true};
    case T::E4M3:
    case T::E4M3x2:
      return {3, 4, false};
    case T::E5M2:
    case T::E5M2x2:
      return {2, 5, true};
    case T::TF32:
      return {10, 8, true};
    default:
      return {23, 8, true};
  }
}

Number unpack(uint64_t bits, Format f) {
  Number n;
  int width = f.mantissa_bits + f.exponent_bits;
  n.negative = (bits >> width) & 1;
  uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa_bits) - 1);
  int ones = (1 << f.exponent_bits) - 1, bias = ones >> 1;
  int exponent = static_cast<int>((bits >> f.mantissa_bits) & static_cast<uint64_t>(ones));
  if (exponent == ones && (f.has_infinity || mantissa == (uint64_t{1} << f.mantissa_bits) - 1)) {
    n.kind = f.has_infinity && mantissa == 0 ? Number::Kind::Infinite : Number::Kind::Nan;
    return n;
  }
  if (exponent) mantissa |= uint64_t{1} << f.mantissa_bits;
  n.mantissa = mantissa;
  n.exponent = std::max(exponent, 1) - bias - f.mantissa_bits;
  return n;
}

uint64_t largest_bits(Format f) {
  uint64_t ones = (uint64_t{1} << f.exponent_bits) - 1, full = (uint64_t{1} << f.mantissa_bits) - 1;
  return f.has_infinity ? ((ones - 1) << f.mantissa_bits) | full : (ones << f.mantissa_bits) | (full - 1);
}

uint64_t pack(const Number& n, Format f, ir::Rounding rounding, uint64_t nan, bool saturate) {
  if (n.kind == Number::Kind::Nan) return nan;
  uint64_t sign = uint64_t{n.negative} << (f.mantissa_bits + f.exponent_bits);
  uint64_t ones = (uint64_t{1} << f.exponent_bits) - 1;
  uint64_t infinite = ones << f.mantissa_bits, largest = largest_bits(f);
  if (n.kind == Number::Kind::Infinite) return sign | (saturate ? largest : infinite);
  if (n.mantissa == 0) return sign;
  int bias = static_cast<int>(ones >> 1), least = 1 - bias - f.mantissa_bits;
  int unit = std::max(bit_length(n.mantissa) + n.exponent - (f.mantissa_bits + 1), least);
  U128 m = shift_right(n.mantissa, unit - n.exponent, n.negative, rounding);
  if (m >> (f.mantissa_bits + 1)) m >>= 1, ++unit;
  // A mantissa with its leading bit adds one to the biased exponent.
  auto bits = static_cast<uint64_t>(m) + (static_cast<uint64_t>(unit - least) << f.mantissa_bits);
  if (unit - least > static_cast<int>(ones) || bits > largest) {
    bool inward = rounding == ir::Rounding::Rz || (rounding == ir::Rounding::Rm && !n.negative) ||
                  (rounding == ir::Rounding::Rp && n.negative);
    bits = saturate || inward ? largest : infinite;
  }
  return sign | bits;
}

Number add(const Number& a, const Number& b, ir::Rounding rounding) {
  using K = Number::Kind;
  if (a.kind == K::Nan || b.kind == K::Nan) return {K::Nan};
  if (a.kind == K::Infinite && b.kind == K::Infinite && a.negative != b.negative) return {K::Nan};
  if (a.kind == K::Infinite) return a;
  if (b.kind == K::Infinite) return b;
  if (a.mantissa == 0 && b.mantissa == 0)
    return {K::Finite, a.negative == b.negative ? a.negative : rounding == ir::Rounding::Rm, 0, 0};
  if (a.mantissa == 0) return b;
  if (b.mantissa == 0) return a;
  Number high = a, low = b;
  if (bit_length(high.mantissa) + high.exponent < bit_length(low.mantissa) + low.exponent) std::swap(high, low);
  int room = 126 - bit_length(high.mantissa);
  high.mantissa <<= room;
  high.exponent -= room;
  int shift = high.exponent - low.exponent;
  U128 aligned;
  if (shift <= 0) {
    aligned = low.mantissa << -shift;
  } else if (shift > 126) {
    aligned = 1;
  } else {
    aligned = low.mantissa >> shift;
    if (aligned << shift != low.mantissa) aligned |= 1;
  }
  Number sum = high;
  if (high.negative == low.negative) {
    sum.mantissa += aligned;
  } else if (high.mantissa >= aligned) {
    sum.mantissa -= aligned;
  } else {
    sum.mantissa = aligned - high.mantissa;
    sum.negative = low.negative;
  }
  if (sum.mantissa == 0) sum.negative = rounding == ir::Rounding::Rm;
  return sum;
}

Number multiply(const Number& a, const Number& b) {
  using K = Number::Kind;
  bool negative = a.negative != b.negative;
  bool zero = (a.kind == K::Finite && a.mantissa == 0) || (b.kind == K::Finite && b.mantissa == 0);
  if (a.kind == K::Nan || b.kind == K::Nan) return {K::Nan};
  if (a.kind == K::Infinite || b.kind == K::Infinite) return zero ? Number{K::Nan} : Number{K::Infinite, negative};
  return {K::Finite, negative, a.mantissa * b.mantissa, a.exponent + b.exponent};
}

Number from_integer(bool negative, uint64_t magnitude) { return {Number::Kind::Finite, negative, magnitude, 0}; }

double to_double(const Number& n) {
  uint64_t bits = pack(n, format_of(ir::Type::F64), ir::Rounding::Rn, 0x7ff8000000000000u);
  double d;
  static_assert(sizeof d == sizeof bits);
  __builtin_memcpy(&d, &bits, sizeof d);
  return d;
}

Number to_integral(const Number& n, ir::Rounding rounding) {
  Number r = n;
  r.exponent = 0;
  if (bit_length(n.mantissa) + n.exponent > 100)
    r.mantissa = U128{1} << 100;
  else
    r.mantissa = shift_right(n.mantissa, -n.exponent, n.negative, rounding);
  return r;
}

}  // namespace drywarp::reference
