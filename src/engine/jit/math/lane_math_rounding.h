// IEEE operations on f32 and f64 in any rounding mode, by way of binary128: products are exact, sums are rounded to
// odd, quotients and roots are checked against the exact product. The processor's rounding mode does not change.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace drywarp::jit {

enum class Towards { Nearest, Zero, Down, Up };

using Quad = __float128;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

// Moves `nearest` by one unit if `mode` requires the other neighbour of the exact value. `excess`: the sign of
// |nearest| - |exact|.
template <class T>
T directed(T nearest, int excess, Towards mode) {
  if (excess == 0 || mode == Towards::Nearest) return nearest;
  auto bits = std::bit_cast<BitsOf<T>>(nearest);
  bool negative = std::signbit(nearest);
  bool towards_zero = mode == Towards::Zero || negative == (mode == Towards::Up);
  if (towards_zero && excess > 0) --bits;
  if (!towards_zero && excess < 0) ++bits;
  return std::bit_cast<T>(bits);
}

inline Quad magnitude(Quad q) { return q < 0 ? -q : q; }
inline int sign_of(Quad q) { return q > 0 ? 1 : q < 0 ? -1 : 0; }  // 0 for a NaN

// Rounds a binary128, which is exact or rounded to odd, to T.
template <class T>
T rounded(Quad exact, Towards mode) {
  T nearest = static_cast<T>(exact);
  Quad got = magnitude(static_cast<Quad>(nearest)), want = magnitude(exact);
  return directed(nearest, got > want ? 1 : got < want ? -1 : 0, mode);
}

// x + y rounded to odd in binary128.
inline Quad sum_to_odd(Quad x, Quad y) {
  Quad sum = x + y;
  Quad y_seen = sum - x, x_seen = sum - y_seen;
  Quad error = (x - x_seen) + (y - y_seen);
  if (!(error != 0) || error != error) return sum;
  auto bits = std::bit_cast<unsigned __int128>(sum);
  if ((bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : -1;
  return std::bit_cast<Quad>(bits);
}

template <class T>
T signed_zero(T result, bool any_negative, Towards mode) {
  return result == 0 && mode == Towards::Down && any_negative ? -T(0) : result;
}

template <class T>
T add(T a, T b, Towards mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || mode == Towards::Nearest) return a + b;
  Quad sum = sum_to_odd(a, b);
  if (sum == 0) return signed_zero(a + b, std::signbit(a) || std::signbit(b), mode);
  return rounded<T>(sum, mode);
}

template <class T>
T mul(T a, T b, Towards mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || mode == Towards::Nearest) return a * b;
  return rounded<T>(static_cast<Quad>(a) * static_cast<Quad>(b), mode);
}

template <class T>
T fma(T a, T b, T c, Towards mode) {
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c) || mode == Towards::Nearest) return std::fma(a, b, c);
  Quad product = static_cast<Quad>(a) * static_cast<Quad>(b);
  Quad sum = sum_to_odd(product, c);
  if (sum == 0) return signed_zero(std::fma(a, b, c), (std::signbit(a) != std::signbit(b)) || std::signbit(c), mode);
  return rounded<T>(sum, mode);
}

template <class T>
T div(T a, T b, Towards mode) {
  T q = a / b;
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0 || mode == Towards::Nearest) return q;
  Quad back = magnitude(static_cast<Quad>(q) * static_cast<Quad>(b));
  return directed(q, sign_of(back - magnitude(a)), mode);
}

template <class T>
T root(T a, Towards mode) {
  T q = std::sqrt(a);
  if (!std::isfinite(a) || a <= 0 || mode == Towards::Nearest) return q;
  return directed(q, sign_of(static_cast<Quad>(q) * static_cast<Quad>(q) - static_cast<Quad>(a)), mode);
}

// Rounds to an integer and clamps. A NaN becomes zero or, from f64 or to 64 bits, the pattern 100..0.
template <class Int, class T>
Int to_int(T x, Towards mode) {
  if (std::isnan(x))
    return sizeof(T) == 8 || sizeof(Int) == 8 ? static_cast<Int>(uint64_t{1} << (8 * sizeof(Int) - 1)) : Int(0);
  T r = mode == Towards::Nearest ? std::nearbyint(x)
        : mode == Towards::Zero  ? std::trunc(x)
        : mode == Towards::Down  ? std::floor(x)
                                 : std::ceil(x);
  // The first value above the range is a power of two, so T represents it.
  const T beyond = std::ldexp(T(1), std::numeric_limits<Int>::digits);
  if (r >= beyond) return std::numeric_limits<Int>::max();
  const T least = std::is_signed_v<Int> ? -beyond : T(0);
  if (r < least) return std::numeric_limits<Int>::min();
  return static_cast<Int>(r);
}

// The part of a double that the coarse reciprocals read: the upper 32 bits, subnormals flushed.
inline double upper_half(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x) & 0xffffffff00000000u;
  if ((bits & 0x7ff0000000000000u) == 0) bits &= 0x8000000000000000u;
  return std::bit_cast<double>(bits);
}

}  // namespace drywarp::jit
