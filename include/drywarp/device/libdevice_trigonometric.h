// Single precision trigonometry: reduction by multiples of pi/2 (three parts of pi/2 for usual arguments, the bits of
// 2/pi for huge ones), then minimax polynomials. Errors are within CUDA's documented bounds.
#ifndef DRYWARP_DEVICE_LIBDEVICE_TRIGONOMETRIC_H
#define DRYWARP_DEVICE_LIBDEVICE_TRIGONOMETRIC_H
#pragma GCC system_header

#include "drywarp/device/libdevice_exponential.h"

// 2/pi in 32-bit words, least significant first: enough for any float.
static __device__ const unsigned __drywarp_two_over_pi[6] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u,
                                                             0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};

// Payne-Hanek reduction: multiplies only the words of 2/pi that affect the quadrant and the fraction.
DRYWARP_DEVICE float __drywarp_reduce_huge(float x, int* quadrant) {
  const unsigned bits = __float_as_uint(x);
  const unsigned mantissa = (bits << 8) | 0x80000000u;
  const unsigned exponent = ((bits >> 23) & 0xffu) - 128u;
  unsigned result[7];
  unsigned long long carry = 0;
#pragma unroll 1
  for (int i = 0; i < 6; ++i) {
    carry += static_cast<unsigned long long>(__drywarp_two_over_pi[i]) * mantissa;
    result[i] = static_cast<unsigned>(carry);
    carry >>= 32;
  }
  result[6] = static_cast<unsigned>(carry);
  const int word = static_cast<int>(4 - (exponent >> 5));
  unsigned high = result[word + 2], low = result[word + 1];
  const unsigned shift = exponent & 31u;
  if (shift != 0) {
    high = (high << shift) | (low >> (32 - shift));
    low = (low << shift) | (result[word] >> (32 - shift));
  }
  // The top two bits are the quadrant; the rest is the fraction, made symmetric around zero.
  unsigned q = high >> 30;
  high = (high << 2) | (low >> 30);
  low <<= 2;
  const unsigned up = high >> 31;
  q += up;
  const bool negative = (bits >> 31) != 0;
  *quadrant = static_cast<int>(negative ? 0u - q : q);
  if (up) {
    high = ~high;
    low = ~low;
  }
  const long long fraction = static_cast<long long>((static_cast<unsigned long long>(high) << 32) | low);
  const double r = __ll2double_rn(fraction) * 8.5153039502163873e-20;  // pi/2 * 2^-64
  return static_cast<float>((up != 0) != negative ? -r : r);
}
DRYWARP_DEVICE float __drywarp_reduce(float x, int* quadrant) {
  const int j = __float2int_rn(x * 0.636619747f);
  const float n = static_cast<float>(j);
  float t = __builtin_fmaf(n, -1.57079601f, x);
  t = __builtin_fmaf(n, -3.13916473e-7f, t);
  t = __builtin_fmaf(n, -5.39030253e-15f, t);
  *quadrant = j;
  if (__builtin_fabsf(x) > 105615.0f) {
    if (__builtin_fabsf(x) == __builtin_inff()) {
      t = x * 0.0f;
      *quadrant = 0;
    } else {
      t = __drywarp_reduce_huge(x, quadrant);
    }
  }
  return t;
}
DRYWARP_DEVICE float __drywarp_sine(float t) {
  const float s = t * t;
  float p = -0.00019516013f;
  p = __builtin_fmaf(p, s, 0.00833216868f);
  p = __builtin_fmaf(p, s, -0.166666552f);
  return __builtin_fmaf(p, __builtin_fmaf(s, t, 0.0f), t);  // see __drywarp_sine_or_cosine
}
DRYWARP_DEVICE float __drywarp_cosine(float t) {
  const float s = t * t;
  float p = 2.44370076e-5f;
  p = __builtin_fmaf(p, s, -0.00138873549f);
  p = __builtin_fmaf(p, s, 0.0416666456f);
  p = __builtin_fmaf(p, s, -0.5f);
  return __builtin_fmaf(p, s, 1.0f);
}
// One evaluation for both: the quadrant selects the coefficients, its second bit the sign. Adding zero to the factor
// keeps the sign of zero: for sin(-0), p * +0 + -0 is -0, but p * -0 + -0 would be +0.
DRYWARP_DEVICE float __drywarp_sine_or_cosine(float t, int quadrant) {
  const bool cosine = quadrant & 1;
  const float s = t * t, lead = cosine ? 1.0f : t, factor = __builtin_fmaf(s, lead, 0.0f);
  float p = cosine ? 2.44370076e-5f : 0.0f;
  p = cosine ? __builtin_fmaf(p, s, -0.00138873549f) : -0.00019516013f;
  p = __builtin_fmaf(p, s, cosine ? 0.0416666456f : 0.00833216868f);
  p = __builtin_fmaf(p, s, cosine ? -0.5f : -0.166666552f);
  const float r = __builtin_fmaf(p, factor, lead);
  return quadrant & 2 ? __builtin_fmaf(r, -1.0f, 0.0f) : r;
}

DRYWARP_LIBDEVICE float __nv_sinf(float x) {
  DRYWARP_FAST_OR(__sinf(x))
  int quadrant;
  const float t = __drywarp_reduce(x, &quadrant);
  return __drywarp_sine_or_cosine(t, quadrant);
}
DRYWARP_LIBDEVICE float __nv_cosf(float x) {
  DRYWARP_FAST_OR(__cosf(x))
  int quadrant;
  const float t = __drywarp_reduce(x, &quadrant);
  return __drywarp_sine_or_cosine(t, quadrant + 1);
}
DRYWARP_DEVICE void __drywarp_sincos(float t, int quadrant, float* s, float* c) {
  const float sine = __drywarp_sine(t), cosine = __drywarp_cosine(t);
  const float first = quadrant & 1 ? cosine : sine, second = quadrant & 1 ? sine : cosine;
  *s = quadrant & 2 ? __builtin_fmaf(first, -1.0f, 0.0f) : first;
  *c = (quadrant + 1) & 2 ? __builtin_fmaf(second, -1.0f, 0.0f) : second;
}
DRYWARP_LIBDEVICE void __nv_sincosf(float x, float* s, float* c) {
#if defined(__USE_FAST_MATH__) || defined(__FAST_MATH__)
  __sincosf(x, s, c);
#else
  int quadrant;
  const float t = __drywarp_reduce(x, &quadrant);
  __drywarp_sincos(t, quadrant, s, c);
#endif
}
DRYWARP_LIBDEVICE float __nv_tanf(float x) {
  DRYWARP_FAST_OR(__tanf(x))
  int quadrant;
  const float t = __drywarp_reduce(x, &quadrant);
  const float s = t * t;
  float p = 0.00950714201f;
  p = __builtin_fmaf(p, s, 0.00290460931f);
  p = __builtin_fmaf(p, s, 0.0245716237f);
  p = __builtin_fmaf(p, s, 0.0533691347f);
  p = __builtin_fmaf(p, s, 0.133393466f);
  p = __builtin_fmaf(p, s, 0.333331347f);
  const float r = __builtin_fmaf(p * s, t, t);
  if (!(quadrant & 1)) return r;
  // -1 / tan, with the tangent's rounding error.
  const float rest = __builtin_fmaf(p * s, t, t - r);
  const float q = __drywarp_rcp(-r);
  return __builtin_fmaf(q, __builtin_fmaf(q, rest, __builtin_fmaf(q, r, 1.0f)), q);
}

// Arguments in units of pi reduce exactly.
DRYWARP_DEVICE float __drywarp_reduce_pi(float x, int* quadrant) {
  if (!(__builtin_fabsf(x) < 16777216.0f)) x = x * 0.0f;  // even integers; NaN stays
  const float n = __builtin_rintf(x + x);
  *quadrant = __float2int_rn(n);
  return __builtin_fmaf(n, -0.5f, x) * 3.14159274f;
}
// The sine of an integer is zero with its sign.
DRYWARP_LIBDEVICE float __nv_sinpif(float x) {
  int quadrant;
  const float t = __drywarp_reduce_pi(x, &quadrant);
  return x == __builtin_truncf(x) ? x * 0.0f : __drywarp_sine_or_cosine(t, quadrant);
}
DRYWARP_LIBDEVICE float __nv_cospif(float x) {
  int quadrant;
  const float t = __drywarp_reduce_pi(x, &quadrant);
  return __drywarp_sine_or_cosine(t, quadrant + 1);
}
DRYWARP_LIBDEVICE void __nv_sincospif(float x, float* s, float* c) {
  int quadrant;
  const float t = __drywarp_reduce_pi(x, &quadrant);
  __drywarp_sincos(t, quadrant, s, c);
  if (x == __builtin_truncf(x)) *s = x * 0.0f;
}

// pi/2 - x, with pi/2 as a product of two floats, which is more precise than one float.
DRYWARP_DEVICE float __drywarp_complement(float x) { return __builtin_fmaf(1.43839002f, 1.09205174f, -x); }

// atan of t in [0, 1].
DRYWARP_DEVICE float __drywarp_arctangent(float t) {
  const float s = t * t;
  float p = 0.0029745989f;
  p = __builtin_fmaf(p, s, -0.0165812224f);
  p = __builtin_fmaf(p, s, 0.0435536131f);
  p = __builtin_fmaf(p, s, -0.0758058503f);
  p = __builtin_fmaf(p, s, 0.10678944f);
  p = __builtin_fmaf(p, s, -0.142142102f);
  p = __builtin_fmaf(p, s, 0.199941367f);
  p = __builtin_fmaf(p, s, -0.333331674f);
  return __builtin_fmaf(p * s, t, t);
}
DRYWARP_LIBDEVICE float __nv_atanf(float x) {
  const float a = __builtin_fabsf(x);
  const float t = __drywarp_arctangent(a > 1.0f ? __drywarp_rcp(a) : a);
  return __builtin_copysignf(a > 1.0f ? __drywarp_complement(t) : t, x);
}
DRYWARP_LIBDEVICE float __nv_atan2f(float y, float x) {
  const float ay = __builtin_fabsf(y), ax = __builtin_fabsf(x);
  const float large = ay > ax ? ay : ax, small = ay > ax ? ax : ay;
  float ratio = __fdiv_rn(small, large);  // IEEE under -prec-div=false too
  if (large == 0.0f) ratio = 0.0f;
  if (small == __builtin_inff()) ratio = 1.0f;
  float r = __drywarp_arctangent(ratio);
  if (ay > ax) r = __drywarp_complement(r);
  if (__float_as_int(x) < 0) r = 3.14159274f - r;
  return x != x || y != y ? x + y : __builtin_copysignf(r, y);
}
// asin of t in [0, 9/16].
DRYWARP_DEVICE float __drywarp_arcsine(float t) {
  const float s = t * t;
  float p = 0.0534886383f;
  p = __builtin_fmaf(p, s, 0.0168712307f);
  p = __builtin_fmaf(p, s, 0.0470895879f);
  p = __builtin_fmaf(p, s, 0.0748125762f);
  p = __builtin_fmaf(p, s, 0.166671261f);
  return __builtin_fmaf(p * s, t, t);
}
// Near one, use half the angle: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
DRYWARP_LIBDEVICE float __nv_asinf(float x) {
  const float a = __builtin_fabsf(x);
  const bool near = a > 0.5625f;
  const float t = __drywarp_arcsine(near ? __builtin_sqrtf(__builtin_fmaf(a, -0.5f, 0.5f)) : a);
  return __builtin_copysignf(near ? __drywarp_complement(t + t) : t, x);
}
DRYWARP_LIBDEVICE float __nv_acosf(float x) {
  const float a = __builtin_fabsf(x);
  const bool near = a > 0.5625f;
  const float t = __drywarp_arcsine(near ? __builtin_sqrtf(__builtin_fmaf(a, -0.5f, 0.5f)) : a);
  if (!near) return __drywarp_complement(x < 0.0f ? -t : t);
  return x < 0.0f ? __builtin_fmaf(1.43839002f, 2.18410349f, -(t + t)) : t + t;
}

#endif
