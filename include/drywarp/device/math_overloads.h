// CUDA's additions to <cmath>: on the device the overloads for float, on the host the functions that only CUDA has.
#ifndef DRYWARP_DEVICE_MATH_OVERLOADS_H
#define DRYWARP_DEVICE_MATH_OVERLOADS_H
#pragma GCC system_header

#include <math.h>

#include "drywarp/device/specifiers.h"

#define DRYWARP_HOST static __host__ __inline__

DRYWARP_HOST double rsqrt(double a) { return 1.0 / ::sqrt(a); }
DRYWARP_HOST float rsqrtf(float a) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(a))); }
DRYWARP_HOST double rcbrt(double a) { return 1.0 / ::cbrt(a); }
DRYWARP_HOST float rcbrtf(float a) { return static_cast<float>(1.0 / ::cbrt(static_cast<double>(a))); }
// pi times the distance from the nearest zero, which is exact.
DRYWARP_HOST double sinpi(double a) {
  const double r = ::remainder(a, 2.0), size = ::fabs(r);
  return ::copysign(::sin((size > 0.5 ? 1.0 - size : size) * 3.14159265358979323846), r);
}
DRYWARP_HOST double cospi(double a) { return sinpi(0.5 - ::fabs(::remainder(a, 2.0))); }
DRYWARP_HOST float sinpif(float a) { return static_cast<float>(sinpi(static_cast<double>(a))); }
DRYWARP_HOST float cospif(float a) { return static_cast<float>(cospi(static_cast<double>(a))); }
DRYWARP_HOST void sincospi(double a, double* s, double* c) {
  *s = sinpi(a);
  *c = cospi(a);
}
DRYWARP_HOST void sincospif(float a, float* s, float* c) {
  *s = sinpif(a);
  *c = cospif(a);
}
DRYWARP_HOST double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
DRYWARP_HOST float rhypotf(float a, float b) { return static_cast<float>(1.0 / ::hypot(static_cast<double>(a), b)); }
DRYWARP_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
DRYWARP_HOST double norm4d(double a, double b, double c, double d) { return ::hypot(::hypot(a, b), ::hypot(c, d)); }
DRYWARP_HOST float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
DRYWARP_HOST float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
DRYWARP_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
DRYWARP_HOST float rnorm3df(float a, float b, float c) { return static_cast<float>(1.0 / norm3d(a, b, c)); }
DRYWARP_HOST double normcdf(double a) { return 0.5 * ::erfc(-a * 0.70710678118654752440); }
DRYWARP_HOST float normcdff(float a) { return static_cast<float>(normcdf(static_cast<double>(a))); }
DRYWARP_HOST double erfcx(double a) {
  if (a < 25.0) return ::exp(a * a) * ::erfc(a);
  const double s = 1.0 / (a * a);  // the asymptotic series
  return (1.0 - 0.5 * s * (1.0 - 1.5 * s)) * 0.56418958354775628695 / a;
}
DRYWARP_HOST float erfcxf(float a) { return static_cast<float>(erfcx(static_cast<double>(a))); }
// Newton's iteration on erfc from an approximation by elementary functions; doubles converge in four steps.
DRYWARP_HOST double erfcinv(double a) {
  if (!(a > 0.0 && a < 2.0)) return a == 0.0 ? HUGE_VAL : a == 2.0 ? -HUGE_VAL : static_cast<double>(NAN);
  const double p = a < 1.0 ? a : 2.0 - a, t = ::sqrt(-2.0 * ::log(p / 2.0));
  double x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = ::erfc(x) - p;
    x += error / (1.12837916709551257 * ::exp(-x * x) - x * error);
  }
  return a < 1.0 ? x : -x;
}
DRYWARP_HOST double erfinv(double a) { return erfcinv(1.0 - a); }
DRYWARP_HOST double normcdfinv(double a) { return -1.41421356237309504880 * erfcinv(2.0 * a); }
DRYWARP_HOST float erfcinvf(float a) { return static_cast<float>(erfcinv(static_cast<double>(a))); }
DRYWARP_HOST float erfinvf(float a) { return static_cast<float>(erfinv(static_cast<double>(a))); }
DRYWARP_HOST float normcdfinvf(float a) { return static_cast<float>(normcdfinv(static_cast<double>(a))); }
DRYWARP_HOST double fdivide(double a, double b) { return a / b; }
DRYWARP_HOST float fdividef(float a, float b) { return a / b; }
#undef DRYWARP_HOST

// The names without f for floats, on host and device.
#define DRYWARP_OVERLOAD(name) \
  DRYWARP_BOTH float name(float a) { return ::name##f(a); }
DRYWARP_OVERLOAD(rsqrt)
DRYWARP_OVERLOAD(rcbrt)
DRYWARP_OVERLOAD(sinpi)
DRYWARP_OVERLOAD(cospi)
DRYWARP_OVERLOAD(erfinv)
DRYWARP_OVERLOAD(erfcinv)
DRYWARP_OVERLOAD(normcdf)
DRYWARP_OVERLOAD(normcdfinv)
DRYWARP_OVERLOAD(erfcx)
#undef DRYWARP_OVERLOAD
DRYWARP_BOTH void sincospi(float a, float* s, float* c) { ::sincospif(a, s, c); }
DRYWARP_BOTH float fdivide(float a, float b) { return ::fdividef(a, b); }
DRYWARP_DEVICE float exp10(float a) { return ::exp10f(a); }
DRYWARP_DEVICE void sincos(float a, float* s, float* c) { ::sincosf(a, s, c); }
DRYWARP_DEVICE double nan(const char*) { return __longlong_as_double(0x7ff8000000000000ll); }
DRYWARP_DEVICE float nanf(const char*) { return __int_as_float(0x7fffffff); }

// <cmath>'s overloads for floats: clang's headers declare them, the toolkit must define these.
#define DRYWARP_FLOAT(result, name) \
  DRYWARP_DEVICE result name(float a) { return ::name##f(a); }
#define DRYWARP_FLOAT2(name) \
  DRYWARP_DEVICE float name(float a, float b) { return ::name##f(a, b); }
DRYWARP_FLOAT(float, acosh)
DRYWARP_FLOAT(float, asinh)
DRYWARP_FLOAT(float, atanh)
DRYWARP_FLOAT(float, cbrt)
DRYWARP_FLOAT(float, erf)
DRYWARP_FLOAT(float, erfc)
DRYWARP_FLOAT(float, exp2)
DRYWARP_FLOAT(float, expm1)
DRYWARP_FLOAT(float, lgamma)
DRYWARP_FLOAT(float, log1p)
DRYWARP_FLOAT(float, log2)
DRYWARP_FLOAT(float, logb)
DRYWARP_FLOAT(float, nearbyint)
DRYWARP_FLOAT(float, rint)
DRYWARP_FLOAT(float, round)
DRYWARP_FLOAT(float, tgamma)
DRYWARP_FLOAT(float, trunc)
DRYWARP_FLOAT(int, ilogb)
DRYWARP_FLOAT(long, lrint)
DRYWARP_FLOAT(long, lround)
DRYWARP_FLOAT(long long, llrint)
DRYWARP_FLOAT(long long, llround)
DRYWARP_FLOAT2(copysign)
DRYWARP_FLOAT2(fdim)
DRYWARP_FLOAT2(fmax)
DRYWARP_FLOAT2(fmin)
DRYWARP_FLOAT2(hypot)
DRYWARP_FLOAT2(nextafter)
DRYWARP_FLOAT2(remainder)
#undef DRYWARP_FLOAT
#undef DRYWARP_FLOAT2
DRYWARP_DEVICE float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
DRYWARP_DEVICE float remquo(float a, float b, int* quotient) { return ::remquof(a, b, quotient); }
DRYWARP_DEVICE float scalbn(float a, int exponent) { return ::scalbnf(a, exponent); }
DRYWARP_DEVICE float scalbln(float a, long exponent) { return ::scalblnf(a, exponent); }

#endif
