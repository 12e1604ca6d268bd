// Functions on exponents and mantissas; lengths of short vectors.
#ifndef DRYWARP_DEVICE_LIBDEVICE_DECOMPOSE_H
#define DRYWARP_DEVICE_LIBDEVICE_DECOMPOSE_H
#pragma GCC system_header

#include "drywarp/device/libdevice_exponential.h"

// x * 2^n with three factors: no intermediate overflow, and only the last product rounds.
DRYWARP_LIBDEVICE float __nv_ldexpf(float x, int n) {
  n = n > 300 ? 300 : n < -300 ? -300 : n;
  const int first = n < -126 ? -126 + 24 : n > 127 ? 127 : n, rest = n - first;
  const int second = rest < -126 + 24 ? -126 + 24 : rest > 127 ? 127 : rest, third = rest - second;
  const float a = __int_as_float((127 + first) << 23), b = __int_as_float((127 + second) << 23);
  const float c = __int_as_float((127 + third) << 23);
  return n < 0 ? x * (third == 0 && second == 0 ? 1.0f : c) * b * a : x * a * b * c;
}
DRYWARP_LIBDEVICE double __nv_ldexp(double x, int n) {
  n = n > 2200 ? 2200 : n < -2200 ? -2200 : n;
  const int first = n < -1022 ? -1022 + 53 : n > 1023 ? 1023 : n, rest = n - first;
  const int second = rest < -1022 + 53 ? -1022 + 53 : rest > 1023 ? 1023 : rest, third = rest - second;
  const double a = __hiloint2double((1023 + first) << 20, 0), b = __hiloint2double((1023 + second) << 20, 0);
  const double c = __hiloint2double((1023 + third) << 20, 0);
  return n < 0 ? x * c * b * a : x * a * b * c;
}
DRYWARP_LIBDEVICE float __nv_scalbnf(float x, int n) { return __nv_ldexpf(x, n); }
DRYWARP_LIBDEVICE double __nv_scalbn(double x, int n) { return __nv_ldexp(x, n); }

DRYWARP_LIBDEVICE float __nv_frexpf(float x, int* exponent) {
  const bool small = __builtin_fabsf(x) < 1.17549435e-38f;
  const unsigned bits = __float_as_uint(small ? x * 16777216.0f : x);
  const bool plain = x != 0.0f && __builtin_fabsf(x) < __builtin_inff();
  *exponent = plain ? static_cast<int>((bits >> 23) & 0xffu) - 126 - (small ? 24 : 0) : 0;
  return plain ? __uint_as_float((bits & 0x807fffffu) | 0x3f000000u) : x + x;
}
DRYWARP_LIBDEVICE double __nv_frexp(double x, int* exponent) {
  const bool small = __builtin_fabs(x) < 2.2250738585072014e-308;
  const double scaled = small ? x * 18014398509481984.0 : x;
  const unsigned high = static_cast<unsigned>(__double2hiint(scaled));
  const bool plain = x != 0.0 && __builtin_fabs(x) < __builtin_inf();
  *exponent = plain ? static_cast<int>((high >> 20) & 0x7ffu) - 1022 - (small ? 54 : 0) : 0;
  return plain ? __hiloint2double(static_cast<int>((high & 0x800fffffu) | 0x3fe00000u), __double2loint(scaled)) : x + x;
}
DRYWARP_LIBDEVICE int __nv_ilogbf(float x) {
  if (x == 0.0f || x != x) return static_cast<int>(0x80000000u);
  if (__builtin_fabsf(x) == __builtin_inff()) return 0x7fffffff;
  int exponent;
  __nv_frexpf(x, &exponent);
  return exponent - 1;
}
DRYWARP_LIBDEVICE int __nv_ilogb(double x) {
  if (x == 0.0 || x != x) return static_cast<int>(0x80000000u);
  if (__builtin_fabs(x) == __builtin_inf()) return 0x7fffffff;
  int exponent;
  __nv_frexp(x, &exponent);
  return exponent - 1;
}
DRYWARP_LIBDEVICE float __nv_logbf(float x) {
  if (x == 0.0f) return -__builtin_inff();
  if (!(__builtin_fabsf(x) < __builtin_inff())) return x * x;
  return static_cast<float>(__nv_ilogbf(x));
}
DRYWARP_LIBDEVICE double __nv_logb(double x) {
  if (x == 0.0) return -__builtin_inf();
  if (!(__builtin_fabs(x) < __builtin_inf())) return x * x;
  return static_cast<double>(__nv_ilogb(x));
}

// Lengths of 2-D vectors. If a component is infinite, the length is infinite, even if the other one is NaN.
struct __drywarp_sides {
  float sum;     // of the squares, after scaling
  float down;    // the scale: a power of two that brings the longer side near 1
  float up;      // its inverse
  float longer;  // NaN only if both are
};
DRYWARP_DEVICE __drywarp_sides __drywarp_squared_sides(float x, float y) {
  const float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  const float large = a > b ? a : b, small = a > b ? b : a;
  const int e = __float_as_int(large) & 0x7e000000;
  const float down = __int_as_float(0x7e800000 - e), up = __int_as_float(e | 0x00800000);
  const float l = large * down, s = small * down;
  return {__builtin_fmaf(l, l, s * s), down, up, __builtin_fmaxf(a, b)};
}
DRYWARP_LIBDEVICE float __nv_hypotf(float x, float y) {
  const __drywarp_sides sides = __drywarp_squared_sides(x, y);
  float r = sides.up * __builtin_sqrtf(sides.sum);
  if (sides.longer == 0.0f) r = 0.0f;
  if (x != x || y != y) r = x + y;
  return sides.longer == __builtin_inff() ? sides.longer : r;
}
DRYWARP_LIBDEVICE float __nv_rhypotf(float x, float y) {
  const __drywarp_sides sides = __drywarp_squared_sides(x, y);
  float r = DRYWARP_FLOAT_BUILTIN(rsqrt_approx)(sides.sum) * sides.down;
  if (sides.longer == 0.0f) r = __builtin_inff();
  if (x != x || y != y) r = x + y;
  return sides.longer == __builtin_inff() ? 0.0f : r;
}

// Lengths of 3-D and 4-D vectors, computed in double: squares of floats do not overflow.
DRYWARP_DEVICE double __drywarp_square(float x) { return static_cast<double>(x) * x; }
DRYWARP_DEVICE float __drywarp_longest(float a, float b, float c) {
  return __builtin_fmaxf(__builtin_fmaxf(__builtin_fabsf(a), __builtin_fabsf(b)), __builtin_fabsf(c));
}
DRYWARP_DEVICE float __drywarp_length(double squares, float longest) {
  return longest == __builtin_inff() ? longest : static_cast<float>(__builtin_sqrt(squares));
}
DRYWARP_DEVICE float __drywarp_reciprocal_length(double squares, float longest) {
  return longest == __builtin_inff() ? 0.0f : static_cast<float>(1.0 / __builtin_sqrt(squares));
}
DRYWARP_LIBDEVICE float __nv_norm3df(float a, float b, float c) {
  return __drywarp_length(__drywarp_square(a) + __drywarp_square(b) + __drywarp_square(c), __drywarp_longest(a, b, c));
}
DRYWARP_LIBDEVICE float __nv_rnorm3df(float a, float b, float c) {
  return __drywarp_reciprocal_length(__drywarp_square(a) + __drywarp_square(b) + __drywarp_square(c),
                                     __drywarp_longest(a, b, c));
}
DRYWARP_LIBDEVICE float __nv_norm4df(float a, float b, float c, float d) {
  return __drywarp_length(__drywarp_square(a) + __drywarp_square(b) + __drywarp_square(c) + __drywarp_square(d),
                          __drywarp_longest(a, b, __drywarp_longest(c, d, 0.0f)));
}
DRYWARP_LIBDEVICE float __nv_rnorm4df(float a, float b, float c, float d) {
  return __drywarp_reciprocal_length(
      __drywarp_square(a) + __drywarp_square(b) + __drywarp_square(c) + __drywarp_square(d),
      __drywarp_longest(a, b, __drywarp_longest(c, d, 0.0f)));
}
DRYWARP_LIBDEVICE float __nv_rcbrtf(float a) { return 1.0f / __nv_cbrtf(a); }

#endif
