// libdevice's simple functions (__nv_*) of one or a few instructions. The compiler's wrapper headers map CUDA's names
// (fabsf, floorf, max ...) to these. The engine provides functions that no header defines.
#ifndef DRYWARP_DEVICE_LIBDEVICE_BASIC_H
#define DRYWARP_DEVICE_LIBDEVICE_BASIC_H
#pragma GCC system_header

#include "drywarp/device/arithmetic.h"
#include "drywarp/device/bits.h"

DRYWARP_LIBDEVICE int __nv_abs(int a) { return a < 0 ? -a : a; }
DRYWARP_LIBDEVICE long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
DRYWARP_LIBDEVICE int __nv_min(int a, int b) { return a < b ? a : b; }
DRYWARP_LIBDEVICE int __nv_max(int a, int b) { return a > b ? a : b; }
DRYWARP_LIBDEVICE unsigned __nv_umin(unsigned a, unsigned b) { return a < b ? a : b; }
DRYWARP_LIBDEVICE unsigned __nv_umax(unsigned a, unsigned b) { return a > b ? a : b; }
DRYWARP_LIBDEVICE long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
DRYWARP_LIBDEVICE long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
DRYWARP_LIBDEVICE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
DRYWARP_LIBDEVICE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

// Each pair of lines has the double and the float function.
DRYWARP_LIBDEVICE double __nv_fabs(double a) { return __builtin_fabs(a); }
DRYWARP_LIBDEVICE float __nv_fabsf(float a) { return __builtin_fabsf(a); }
DRYWARP_LIBDEVICE double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
DRYWARP_LIBDEVICE float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
DRYWARP_LIBDEVICE double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
DRYWARP_LIBDEVICE float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
DRYWARP_LIBDEVICE double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
DRYWARP_LIBDEVICE float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
DRYWARP_LIBDEVICE double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
DRYWARP_LIBDEVICE float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
DRYWARP_LIBDEVICE double __nv_sqrt(double a) { return __builtin_sqrt(a); }
DRYWARP_LIBDEVICE float __nv_sqrtf(float a) {
#if defined(__USE_FAST_MATH__) || defined(__FAST_MATH__)
  return DRYWARP_FLOAT_BUILTIN(sqrt_approx)(a);
#else
  return __builtin_sqrtf(a);
#endif
}
DRYWARP_LIBDEVICE double __nv_floor(double a) { return __builtin_floor(a); }
DRYWARP_LIBDEVICE float __nv_floorf(float a) { return __builtin_floorf(a); }
DRYWARP_LIBDEVICE double __nv_ceil(double a) { return __builtin_ceil(a); }
DRYWARP_LIBDEVICE float __nv_ceilf(float a) { return __builtin_ceilf(a); }
DRYWARP_LIBDEVICE double __nv_trunc(double a) { return __builtin_trunc(a); }
DRYWARP_LIBDEVICE float __nv_truncf(float a) { return __builtin_truncf(a); }
DRYWARP_LIBDEVICE double __nv_rint(double a) { return __builtin_rint(a); }
DRYWARP_LIBDEVICE float __nv_rintf(float a) { return __builtin_rintf(a); }
DRYWARP_LIBDEVICE double __nv_nearbyint(double a) { return __builtin_nearbyint(a); }
DRYWARP_LIBDEVICE float __nv_nearbyintf(float a) { return __builtin_nearbyintf(a); }

// Ties round away from zero: add a half of the same sign (its lower neighbour, so that numbers just below a half do not
// round up) and truncate. Integers are unchanged.
DRYWARP_LIBDEVICE float __nv_roundf(float a) {
  float t = __builtin_truncf(__fadd_rz(a, __builtin_copysignf(0.5f, a)));
  t = __builtin_fabsf(a) > 8388608.0f ? a : t;
  return __builtin_fabsf(a) < 0.5f ? __builtin_truncf(a) : t;
}
DRYWARP_LIBDEVICE double __nv_round(double a) {
  double t = __builtin_trunc(__dadd_rz(a, __builtin_copysign(0.5, a)));
  t = __builtin_fabs(a) > 4503599627370496.0 ? a : t;
  return __builtin_fabs(a) < 0.5 ? __builtin_trunc(a) : t;
}
DRYWARP_LIBDEVICE long long __nv_llrint(double a) { return __double2ll_rn(a); }
DRYWARP_LIBDEVICE long long __nv_llrintf(float a) { return __float2ll_rn(a); }
DRYWARP_LIBDEVICE long long __nv_llround(double a) { return __double2ll_rz(__nv_round(a)); }
DRYWARP_LIBDEVICE long long __nv_llroundf(float a) { return __float2ll_rz(__nv_roundf(a)); }

DRYWARP_LIBDEVICE int __nv_isnanf(float a) { return a != a; }
DRYWARP_LIBDEVICE int __nv_isnand(double a) { return a != a; }
DRYWARP_LIBDEVICE int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
DRYWARP_LIBDEVICE int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
DRYWARP_LIBDEVICE int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
DRYWARP_LIBDEVICE int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
DRYWARP_LIBDEVICE int __nv_signbitf(float a) { return static_cast<int>(__float_as_uint(a) >> 31); }
DRYWARP_LIBDEVICE int __nv_signbitd(double a) {
  return static_cast<int>(static_cast<unsigned>(__double2hiint(a)) >> 31);
}

// The names in glibc's <math.h>.
DRYWARP_DEVICE int __isnan(double a) { return __nv_isnand(a); }
DRYWARP_DEVICE int __isnanf(float a) { return __nv_isnanf(a); }
DRYWARP_DEVICE int __isinf(double a) { return __nv_isinfd(a); }
DRYWARP_DEVICE int __isinff(float a) { return __nv_isinff(a); }
DRYWARP_DEVICE int __finite(double a) { return __nv_isfinited(a); }
DRYWARP_DEVICE int __finitef(float a) { return __nv_finitef(a); }
DRYWARP_DEVICE int __isfinited(double a) { return __nv_isfinited(a); }
DRYWARP_DEVICE int __signbit(double a) { return __nv_signbitd(a); }
DRYWARP_DEVICE int __signbitd(double a) { return __nv_signbitd(a); }
DRYWARP_DEVICE int __signbitf(float a) { return __nv_signbitf(a); }

DRYWARP_LIBDEVICE double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
DRYWARP_LIBDEVICE float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
DRYWARP_LIBDEVICE double __nv_modf(double a, double* whole) {
  double t = __builtin_trunc(a);
  *whole = t;
  return __builtin_copysign(__nv_isinfd(a) ? 0.0 : a - t, a);
}
DRYWARP_LIBDEVICE float __nv_modff(float a, float* whole) {
  float t = __builtin_truncf(a);
  *whole = t;
  return __builtin_copysignf(__nv_isinff(a) ? 0.0f : a - t, a);
}

DRYWARP_LIBDEVICE float __nv_rsqrtf(float a) { return DRYWARP_FLOAT_BUILTIN(rsqrt_approx)(a); }
// The hardware's approximation (about 20 bits), then one step of Householder's third-order iteration. If the
// approximation of the flushed argument is not finite and normal, exact operations are used.
DRYWARP_LIBDEVICE double __nv_rsqrt(double a) {
  if (!(a >= 2.2250738585072014e-308 && a < __builtin_inf())) return 1.0 / __builtin_sqrt(a);
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  double e = __builtin_fma(-a, y * y, 1.0);
  return __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
}

DRYWARP_LIBDEVICE float __nv_fast_sinf(float a) { return __sinf(a); }
DRYWARP_LIBDEVICE float __nv_fast_cosf(float a) { return __cosf(a); }
DRYWARP_LIBDEVICE float __nv_fast_tanf(float a) { return __tanf(a); }
DRYWARP_LIBDEVICE void __nv_fast_sincosf(float a, float* s, float* c) { __sincosf(a, s, c); }
DRYWARP_LIBDEVICE float __nv_fast_logf(float a) { return __logf(a); }
DRYWARP_LIBDEVICE float __nv_fast_log2f(float a) { return __log2f(a); }
DRYWARP_LIBDEVICE float __nv_fast_log10f(float a) { return __log10f(a); }
DRYWARP_LIBDEVICE float __nv_fast_expf(float a) { return __expf(a); }
DRYWARP_LIBDEVICE float __nv_fast_exp10f(float a) { return __exp10f(a); }
DRYWARP_LIBDEVICE float __nv_fast_powf(float a, float b) { return __powf(a, b); }
DRYWARP_LIBDEVICE float __nv_fast_fdividef(float a, float b) { return __fdividef(a, b); }

#endif
