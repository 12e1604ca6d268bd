// Directed rounding without the processor's modes, by binary128: products are exact, sums are rounded to odd, and
// quotients and roots are checked against the exact product.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "engine/jit/math/lane_math_rounding.h"

namespace drywarp::jit::oracle {

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

inline int sign_of(Quad q) { return q > 0 ? 1 : q < 0 ? -1 : 0; }  // 0 for a NaN

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

}  // namespace drywarp::jit::oracle
