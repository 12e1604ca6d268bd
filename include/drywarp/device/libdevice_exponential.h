// Single precision exponentials, logarithms and powers in terms of ex2.approx, lg2.approx and fused multiply-adds, as
// GPU libraries build them. Polynomials are minimax fits for these ranges; errors are within CUDA's documented bounds.
#ifndef DRYWARP_DEVICE_LIBDEVICE_EXPONENTIAL_H
#define DRYWARP_DEVICE_LIBDEVICE_EXPONENTIAL_H
#pragma GCC system_header

#include "drywarp/device/arithmetic.h"
#include "drywarp/device/bits.h"

// -use_fast_math replaces these functions by their approximate forms.
#if defined(__USE_FAST_MATH__) || defined(__FAST_MATH__) || defined(__CLANG_GPU_APPROX_TRANSCENDENTALS__)
#define DRYWARP_FAST_OR(fast) \
  if (true) return fast;
#else
#define DRYWARP_FAST_OR(fast)
#endif

DRYWARP_DEVICE float __drywarp_ex2(float x) { return __nvvm_ex2_approx_ftz_f(x); }
DRYWARP_DEVICE float __drywarp_rcp(float x) { return __nvvm_rcp_approx_ftz_f(x); }

// base^x = 2^j * 2^f: j comes from a saturated scaling into [0, 1], which clamps every overflow and underflow, times
// 252 plus a constant that leaves j in the low mantissa bits; f, in about [0, 1], takes the logarithm of the base in
// two parts.
DRYWARP_DEVICE float __drywarp_power(float x, float scaled, float log2_high, float log2_low) {
  const float t = __fmaf_rd(__drywarp_fma_saturated(x, scaled, 0.5f), 252.0f, 12582913.0f);
  const float j = t - 12583039.0f;
  float f = __builtin_fmaf(x, log2_high, -j);
  f = __builtin_fmaf(x, log2_low, f);
  return __drywarp_ex2(f) * __int_as_float(__float_as_int(t) << 23);
}
DRYWARP_LIBDEVICE float __nv_expf(float x) {
  DRYWARP_FAST_OR(__expf(x))
  return __drywarp_power(x, 0.00572498445f, 1.44269502f, 1.92596303e-8f);
}
DRYWARP_LIBDEVICE float __nv_exp10f(float x) {
  DRYWARP_FAST_OR(__exp10f(x))
  return __drywarp_power(x, 0.0131822546f, 3.32192802f, 7.05954244e-8f);
}
// For subnormal results the instruction would flush, so compute with half the argument and square.
DRYWARP_LIBDEVICE float __nv_exp2f(float x) {
  const bool tiny = x < -126.0f;
  const float r = __drywarp_ex2(tiny ? x * 0.5f : x);
  return tiny ? r * r : r;
}
DRYWARP_LIBDEVICE float __nv_expm1f(float x) {
  float j = __builtin_rintf(x * 1.44269502f);
  if (__builtin_fabsf(x) < 0.4f) j = 0.0f;
  float f = __builtin_fmaf(j, -0.693145752f, x);
  f = __builtin_fmaf(j, -1.42860677e-6f, f);
  // 2^128 is not a float, so double in the last step.
  const bool last = j == 128.0f;
  const float s = __drywarp_ex2(last ? 127.0f : j);
  float p = 0.000199483708f;
  p = __builtin_fmaf(p, f, 0.00139654439f);
  p = __builtin_fmaf(p, f, 0.00833320338f);
  p = __builtin_fmaf(p, f, 0.0416659936f);
  p = __builtin_fmaf(p, f, 0.166666672f);
  p = __builtin_fmaf(p, f, 0.5f);
  p = __builtin_fmaf(p * f, f, f);
  float r = __builtin_fmaf(s, p, s - 1.0f);
  if (last) r = r + (r + 1.0f);
  if (j > 128.0f) r = __builtin_inff();
  if (j < -25.0f) r = -1.0f;
  return x == 0.0f || x != x ? x + x : r;  // a sum: flushed with -ftz=true
}

// The mantissa of x in [2/3, 4/3) minus one, and its exponent. Subnormals are scaled up first.
DRYWARP_DEVICE float __drywarp_mantissa(float x, float* exponent, int split = 0x3f2aaaab) {
  const bool small = x < 1.17549435e-38f;
  const int bits = __float_as_int(small ? x * 8388608.0f : x);
  const int e = (bits - split) & static_cast<int>(0xff800000u);
  *exponent = __builtin_fmaf(static_cast<float>(e), 1.1920929e-7f, small ? -23.0f : 0.0f);
  return __int_as_float(bits - e) - 1.0f;
}
// (log(1 + r) - r) / r^2 for r in [-1/3, 1/3].
DRYWARP_DEVICE float __drywarp_log_tail(float r) {
  float p = -0.129489377f;
  p = __builtin_fmaf(p, r, 0.140047595f);
  p = __builtin_fmaf(p, r, -0.121671602f);
  p = __builtin_fmaf(p, r, 0.140011594f);
  p = __builtin_fmaf(p, r, -0.166823059f);
  p = __builtin_fmaf(p, r, 0.20010747f);
  p = __builtin_fmaf(p, r, -0.249997169f);
  p = __builtin_fmaf(p, r, 0.333332092f);
  return __builtin_fmaf(p, r, -0.5f);
}
// Infinity and NaN pass through a multiply-add with infinity; zero gives minus infinity, negatives NaN.
DRYWARP_DEVICE float __drywarp_log_special(float x, float r) {
  if (!(x > 0.0f && x < __builtin_inff()))
    r = x == 0.0f ? -__builtin_inff() : x < 0.0f ? __int_as_float(0x7fffffff) : x + x;
  return r;
}
DRYWARP_LIBDEVICE float __nv_logf(float x) {
  DRYWARP_FAST_OR(__logf(x))
  float e;
  const float r = __drywarp_mantissa(x, &e);
  float q = __drywarp_log_tail(r) * r;
  q = __builtin_fmaf(q, r, r);
  return __drywarp_log_special(x, __builtin_fmaf(e, 0.693147182f, q));
}
DRYWARP_LIBDEVICE float __nv_log2f(float x) {
  DRYWARP_FAST_OR(__log2f(x))
  float e;
  const float r = __drywarp_mantissa(x, &e);
  const float q = __drywarp_log_tail(r) * r;
  // r * log2(e) in two parts, with the tail.
  const float high = __fmul_rn(r, 1.44269502f), low = __builtin_fmaf(r, 1.44269502f, -high);
  const float tail = __builtin_fmaf(q * r, 1.44269502f, __builtin_fmaf(r, 1.92596303e-8f, low));
  return __drywarp_log_special(x, e + (high + tail));
}
DRYWARP_LIBDEVICE float __nv_log10f(float x) {
  DRYWARP_FAST_OR(__log10f(x))
  float e;
  const float r = __drywarp_mantissa(x, &e);
  const float q = __drywarp_log_tail(r) * r;
  const float high = __fmul_rn(r, 0.434294492f), low = __builtin_fmaf(r, 0.434294492f, -high);
  const float tail = __builtin_fmaf(q * r, 0.434294492f, __builtin_fmaf(r, -1.01000298e-8f, low));
  return __drywarp_log_special(x, __builtin_fmaf(e, 0.30103001f, __builtin_fmaf(e, -1.43209888e-8f, tail) + high));
}
// 1 + x only determines the exponent; the reduced argument comes from x, so that small x lose no precision.
DRYWARP_LIBDEVICE float __nv_log1pf(float x) {
  const float u = __fadd_rz(x, 1.0f);
  const int e = (__float_as_int(u) - 0x3f400000) & static_cast<int>(0xff800000u);
  const float scale = __int_as_float(0x40800000 - e);  // 4 * 2^-e
  float r = __int_as_float(__float_as_int(x) - e) + __builtin_fmaf(scale, 0.25f, -1.0f);
  float p = 0.0373193622f;
  p = __builtin_fmaf(p, r, -0.091268234f);
  p = __builtin_fmaf(p, r, 0.117554203f);
  p = __builtin_fmaf(p, r, -0.127500385f);
  p = __builtin_fmaf(p, r, 0.142720431f);
  p = __builtin_fmaf(p, r, -0.166522905f);
  p = __builtin_fmaf(p, r, 0.199996233f);
  p = __builtin_fmaf(p, r, -0.250002891f);
  p = __builtin_fmaf(p, r, 0.333333433f);
  p = __builtin_fmaf(p, r, -0.49999997f);
  p = __builtin_fmaf(p * r, r, r);
  float result = __builtin_fmaf(static_cast<float>(e) * 1.1920929e-7f, 0.693147182f, p);
  if (!(x > -1.0f && x < __builtin_inff())) {
    result = x == -1.0f ? -__builtin_inff() : x < -1.0f ? __int_as_float(0x7fffffff) : x + x;
  } else if (__builtin_fabsf(x) < 1e-7f) {
    result = __builtin_fmaf(x * -0.5f, x, x);
  }
  return result;
}

// |x|^y for finite positive |x|: the logarithm to base 2 in two floats, times y, then the exponential.
DRYWARP_DEVICE float __drywarp_powf(float a, float y) {
  float e;
  const float f = __drywarp_mantissa(a, &e, 0x3f3504f3);  // mantissa in [sqrt(1/2), sqrt(2))
  // log(1 + f) = u + u^3 q(u^2) with u = 2f / (2 + f), whose rounding error is in the second part.
  const float over = __drywarp_rcp(f + 2.0f);
  const float u = __fmul_rn(f + f, over);  // rounded, so that f - u below gives the error of u
  const float u_low = __builtin_fmaf(-u, f, 2.0f * (f - u)) * over;
  const float v = u * u;
  float q = 0.000460600771f;
  q = __builtin_fmaf(q, v, 0.00222947495f);
  q = __builtin_fmaf(q, v, 0.0125001045f);
  q = __builtin_fmaf(q, v, 0.0833333284f);
  const float tail = __builtin_fmaf(q * v, u, u_low);

  float high = __builtin_fmaf(u, 1.44269502f, e);
  float low = __builtin_fmaf(u, 1.44269502f, e - high);
  low = __builtin_fmaf(u, 1.92596303e-8f, low);
  low = __builtin_fmaf(tail, 1.44269502f, low);
  const float sum = high + low;
  low = low + (high - sum);
  high = sum;

  const float product = __fmul_rn(high, y);  // not fused: otherwise `rest` would count twice
  float rest = __builtin_fmaf(high, y, -product);
  rest = __builtin_fmaf(low, y, rest);
  const float n = __builtin_rintf(product);
  const float t = (product - n) + rest;
  float p = 0.000154783134f;
  p = __builtin_fmaf(p, t, 0.00134007004f);
  p = __builtin_fmaf(p, t, 0.00961799361f);
  p = __builtin_fmaf(p, t, 0.0555032641f);
  p = __builtin_fmaf(p, t, 0.240226522f);
  p = __builtin_fmaf(p, t, 0.693147182f);
  p = __builtin_fmaf(p, t, 1.0f);
  // 2^n as two normal factors, so that results can be subnormal; outside this range, the result is 0 or infinity.
  const int whole = __float2int_rz(__builtin_fminf(__builtin_fmaxf(n, -250.0f), 250.0f));
  const int first = whole / 2;
  float r = p * __int_as_float((127 + first) << 23) * __int_as_float((127 + whole - first) << 23);
  if (__builtin_fabsf(product) > 152.0f) r = product < 0.0f ? 0.0f : __builtin_inff();
  return r;
}
DRYWARP_LIBDEVICE float __nv_powf(float x, float y) {
  DRYWARP_FAST_OR(__powf(x, y))
  const float a = __builtin_fabsf(x), infinity = __builtin_inff();
  if (x == 1.0f || y == 0.0f) return 1.0f;
  if (a != a || y != y) return x + y;
  const float halves = __builtin_truncf(y * 0.5f);
  const bool odd = __builtin_fabsf(__builtin_fmaf(halves, -2.0f, y)) == 1.0f;
  float r;
  if (x == 0.0f || a == infinity) {
    // Odd powers keep the sign; negative powers swap zero and infinity.
    int bits = __float_as_int(x == 0.0f ? 0.0f : infinity);
    if (y < 0.0f) bits ^= 0x7f800000;
    r = __int_as_float(bits);
  } else if (__builtin_fabsf(y) == infinity) {
    if (a == 1.0f) return 1.0f;
    return (a > 1.0f) == (y > 0.0f) ? infinity : 0.0f;
  } else {
    r = __drywarp_powf(a, y);
    if (x < 0.0f && y != __builtin_truncf(y)) return __int_as_float(0x7fffffff);
  }
  return odd && __float_as_int(x) < 0 ? -r : r;
}
// An integer power by repeated squaring, for std::pow(float, int).
DRYWARP_LIBDEVICE float __nv_powif(float x, int n) {
  unsigned m = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  float r = 1.0f;
  for (float square = x; m != 0; m >>= 1, square *= square)
    if (m & 1u) r *= square;
  return n < 0 ? 1.0f / r : r;
}
DRYWARP_LIBDEVICE double __nv_powi(double x, int n) {
  unsigned m = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  double r = 1.0;
  for (double square = x; m != 0; m >>= 1, square *= square)
    if (m & 1u) r *= square;
  return n < 0 ? 1.0 / r : r;
}

// e^a / 2 for 0 <= a < 90, from e^a / 4, so that it does not overflow before sinh and cosh do.
DRYWARP_DEVICE float __drywarp_half_exponential(float a) {
  const float j = __builtin_rintf(a * 1.44269502f);
  float f = __builtin_fmaf(a, 1.44269502f, -j);
  f = __builtin_fmaf(a, 1.92596303e-8f, f);
  return __drywarp_ex2(f) * __int_as_float((__float2int_rz(j) + 125) << 23) * 2.0f;
}
DRYWARP_LIBDEVICE float __nv_sinhf(float x) {
  const float a = __builtin_fabsf(x);
  float r;
  if (a < 1.0f) {
    const float s = x * x;
    float p = 2.81743951e-6f;
    p = __builtin_fmaf(p, s, 0.000198360663f);
    p = __builtin_fmaf(p, s, 0.00833335053f);
    p = __builtin_fmaf(p, s, 0.166666672f);
    r = __builtin_fmaf(p * s, x, x);
  } else {
    const float half = __drywarp_half_exponential(__builtin_fminf(a, 90.0f));
    r = __builtin_copysignf(half - 0.25f / half, x);
    if (a > 89.5f) r = x * __builtin_inff();
  }
  return x != x ? x + x : r;
}
DRYWARP_LIBDEVICE float __nv_coshf(float x) {
  const float a = __builtin_fabsf(x);
  const float half = __drywarp_half_exponential(__builtin_fminf(a, 90.0f));
  return a > 89.5f ? __builtin_inff() : x != x ? x + x : half + 0.25f / half;
}
// 1 - 2 / (e^2x + 1); a polynomial where that would cancel.
DRYWARP_LIBDEVICE float __nv_tanhf(float x) {
  DRYWARP_FAST_OR(__tanh_approx(x))
  const float a = __builtin_fabsf(x);
  if (a >= 0.6f) {
    const float e = __drywarp_ex2(a * 2.88539004f);
    const float r = __builtin_fmaf(__drywarp_rcp(e + 1.0f), -2.0f, 1.0f);
    return __builtin_copysignf(a >= 9.01091385f ? 1.0f : r, x);
  }
  const float s = x * x;
  float p = -0.0058983136f;
  p = __builtin_fmaf(p, s, 0.0207994319f);
  p = __builtin_fmaf(p, s, -0.0537850894f);
  p = __builtin_fmaf(p, s, 0.133319423f);
  p = __builtin_fmaf(p, s, -0.333332986f);
  return __builtin_fmaf(__builtin_fmaf(p, s, 0.0f), x, x);  // +0, not -0, times -0: tanh(-0) is -0
}

// x^(1/3) from the approximate logarithm, and one Newton step.
DRYWARP_LIBDEVICE float __nv_cbrtf(float x) {
  const float a = __builtin_fabsf(x);
  const bool small = a < 1.17549435e-38f;
  const float scaled = small ? a * 16777216.0f : a;
  const float t = __drywarp_ex2(__nvvm_lg2_approx_ftz_f(scaled) * 0.333333343f);
  const float over = __drywarp_rcp(t * t);
  float r = __builtin_fmaf(__builtin_fmaf(-scaled, over, t), -0.333333343f, t);
  if (small) r *= 0.00390625f;
  return x + x == x || x != x ? x + x : __builtin_copysignf(r, x);
}

DRYWARP_LIBDEVICE float __nv_erff(float x) {
  const float a = __builtin_fabsf(x);
  if (a < 1.0f) {
    const float s = x * x;
    float p = 7.85647208e-5f;
    p = __builtin_fmaf(p, s, -0.000801184098f);
    p = __builtin_fmaf(p, s, 0.0051886132f);
    p = __builtin_fmaf(p, s, -0.026854014f);
    p = __builtin_fmaf(p, s, 0.112835914f);
    p = __builtin_fmaf(p, s, -0.37612626f);
    return __builtin_fmaf(p, s, 0.128379166f) * x + x;
  }
  // log2(1 - erf(a)) up to where erf is 1.
  const float t = __builtin_fminf(a, 4.0f);
  float p = -3.12873526e-5f;
  p = __builtin_fmaf(p, t, 0.000636711833f);
  p = __builtin_fmaf(p, t, -0.00606589019f);
  p = __builtin_fmaf(p, t, 0.0363677964f);
  p = __builtin_fmaf(p, t, -0.156414896f);
  p = __builtin_fmaf(p, t, -0.913543224f);
  p = __builtin_fmaf(p, t, -1.62963712f);
  p = __builtin_fmaf(p, t, 0.000271278725f);
  return x != x ? x + x : __builtin_copysignf(1.0f - __drywarp_ex2(p), x);
}

#endif
