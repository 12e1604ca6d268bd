// 8-bit floating point: e4m3 (no infinities, one NaN a sign) and e5m2 (as IEEE's formats), alone, in twos and in fours.
// Works in device code, in the host code of a .cu file and in plain C++. Conversions round to nearest even. From
// compute capability 8.9 on, the device has instructions for saturating conversions; elsewhere software computes the
// same values.
#ifndef DRYWARP_CUDA_FP8_H
#define DRYWARP_CUDA_FP8_H
#pragma GCC system_header
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__

#include <limits.h>
#include <math.h>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#if defined(__cplusplus)
#include "drywarp/device/specifiers.h"
#include "drywarp/half/small_floats.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
// Values that are too large become infinity (e4m3: NaN), or the largest finite number.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  const double magnitude = fabs(x);
  if (kind == __NV_E5M2) {
    const unsigned code = __drywarp_encode(magnitude, 5, 2, __drywarp_nearest);
    const unsigned sign = signbit(x) ? 0x80u : 0;
    if (x != x) return (__nv_fp8_storage_t)(sign | 0x7eu);
    return (__nv_fp8_storage_t)(sign | (saturate == __NV_SATFINITE && code > 0x7bu ? 0x7bu : code));
  }
  // The top exponent, which IEEE's formats reserve for infinities, holds numbers: round these one binade lower.
  const unsigned code = magnitude >= 128 ? __drywarp_encode(magnitude / 2, 4, 3, __drywarp_nearest) + 8
                                         : __drywarp_encode(magnitude, 4, 3, __drywarp_nearest);
  const unsigned sign = signbit(x) ? 0x80u : 0;
  if (x != x) return (__nv_fp8_storage_t)(sign | 0x7fu);
  return (__nv_fp8_storage_t)(sign | (code <= 0x7eu ? code : saturate == __NV_SATFINITE ? 0x7eu : 0x7fu));
}
DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}

DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  if (saturate == __NV_SATFINITE) {
    __nv_fp8x2_storage_t both;
    if (kind == __NV_E5M2)
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(both) : "f"(x.x), "f"(x.y));
    else
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(both) : "f"(x.x), "f"(x.y));
    return both;
  }
#endif
  // A NaN from float has no sign and always this payload.
  const unsigned low = x.x != x.x ? 0x7fu : __nv_cvt_double_to_fp8(x.x, saturate, kind);
  const unsigned high = x.y != x.y ? 0x7fu : __nv_cvt_double_to_fp8(x.y, saturate, kind);
  return (__nv_fp8x2_storage_t)(low | high << 8);
}
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return (__nv_fp8_storage_t)__nv_cvt_float2_to_fp8x2(make_float2(x, 0.0f), saturate, kind);
}

DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                             __nv_fp8_interpretation_t kind) {
  __half_raw low, high;
  low.x = x.x;
  high.x = x.y;
  return __nv_cvt_float2_to_fp8x2(make_float2(__half2float(__half(low)), __half2float(__half(high))), saturate, kind);
}
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                                 __nv_fp8_interpretation_t kind) {
  __nv_bfloat16_raw low, high;
  low.x = x.x;
  high.x = x.y;
  return __nv_cvt_float2_to_fp8x2(
      make_float2(__bfloat162float(__nv_bfloat16(low)), __bfloat162float(__nv_bfloat16(high))), saturate, kind);
}

// Every 8-bit number is a half.
DRYWARP_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  __half_raw out;
  const unsigned sign = (x & 0x80u) << 8, magnitude = x & 0x7fu;
  if (kind == __NV_E5M2) {
    out.x = (unsigned short)(magnitude > 0x7cu ? 0x7fffu : sign | magnitude << 8);
  } else if (magnitude == 0x7fu) {
    out.x = 0x7fff;
  } else if (magnitude >= 8) {
    out.x = (unsigned short)(sign | ((magnitude << 7) + (8u << 10)));  // the biases are 7 and 15
  } else {
    // Multiples of 2^-9, which are normal halves.
    unsigned exponent = 9, bits = magnitude;
    if (magnitude == 0) {
      out.x = (unsigned short)sign;
      return out;
    }
    while (!(bits & 8u)) {
      bits <<= 1;
      --exponent;
    }
    out.x = (unsigned short)(sign | exponent << 10 | (bits & 7u) << 7);
  }
  return out;
}
DRYWARP_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  __half2_raw out;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  unsigned both;
  if (kind == __NV_E5M2)
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(both) : "h"(x));
  else
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(both) : "h"(x));
  out.x = (unsigned short)both;
  out.y = (unsigned short)(both >> 16);
#else
  out.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x;
  out.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x;
#endif
  return out;
}

// Casts to integers round towards zero and saturate; NaN becomes zero.
#define DRYWARP_FP8_TO_INTEGER(type, least, most)                                         \
  explicit __host__ __device__ operator type() const {                                    \
    const float f = float(*this);                                                         \
    if (f != f) return 0;                                                                 \
    return f <= float(least) ? (type)(least) : f >= float(most) ? (type)(most) : (type)f; \
  }

#define DRYWARP_FP8_TYPES(name, two, four, kind)                                                                      \
  struct name {                                                                                                       \
    __nv_fp8_storage_t __x;                                                                                           \
    name() = default;                                                                                                 \
    explicit __host__ __device__ name(__half f) : __x(__nv_cvt_halfraw_to_fp8(f, __NV_SATFINITE, kind)) {}            \
    explicit __host__ __device__ name(__nv_bfloat16 f) : __x(__nv_cvt_bfloat16raw_to_fp8(f, __NV_SATFINITE, kind)) {} \
    explicit __host__ __device__ name(float f) : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind)) {}               \
    explicit __host__ __device__ name(double f) : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind)) {}             \
    explicit __host__ __device__ name(unsigned short v) : name(float(v)) {}                                           \
    explicit __host__ __device__ name(unsigned int v) : name(float(v)) {}                                             \
    explicit __host__ __device__ name(unsigned long v) : name(float(v)) {}                                            \
    explicit __host__ __device__ name(unsigned long long v) : name(float(v)) {}                                       \
    explicit __host__ __device__ name(short v) : name(float(v)) {}                                                    \
    explicit __host__ __device__ name(int v) : name(float(v)) {}                                                      \
    explicit __host__ __device__ name(long v) : name(float(v)) {}                                                     \
    explicit __host__ __device__ name(long long v) : name(float(v)) {}                                                \
    explicit __host__ __device__ operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }       \
    explicit __host__ __device__ operator float() const { return __half2float(__half(*this)); }                       \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rn(float(*this)); }         \
    explicit __host__ __device__ operator double() const { return float(*this); }                                     \
    explicit __host__ __device__ operator bool() const { return (__x & 0x7fu) != 0; }                                 \
    DRYWARP_FP8_TO_INTEGER(char, CHAR_MIN, CHAR_MAX)                                                                  \
    DRYWARP_FP8_TO_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX)                                                         \
    DRYWARP_FP8_TO_INTEGER(unsigned char, 0, UCHAR_MAX)                                                               \
    DRYWARP_FP8_TO_INTEGER(short, SHRT_MIN, SHRT_MAX)                                                                 \
    DRYWARP_FP8_TO_INTEGER(unsigned short, 0, USHRT_MAX)                                                              \
    DRYWARP_FP8_TO_INTEGER(int, INT_MIN, INT_MAX)                                                                     \
    DRYWARP_FP8_TO_INTEGER(unsigned int, 0, UINT_MAX)                                                                 \
    DRYWARP_FP8_TO_INTEGER(long, LONG_MIN, LONG_MAX)                                                                  \
    DRYWARP_FP8_TO_INTEGER(unsigned long, 0, ULONG_MAX)                                                               \
    DRYWARP_FP8_TO_INTEGER(long long, LLONG_MIN, LLONG_MAX)                                                           \
    DRYWARP_FP8_TO_INTEGER(unsigned long long, 0, ULLONG_MAX)                                                         \
  };                                                                                                                  \
  struct __align__(2) two {                                                                                           \
    __nv_fp8x2_storage_t __x;                                                                                         \
    two() = default;                                                                                                  \
    explicit __host__ __device__ two(__half2 f) : __x(__nv_cvt_halfraw2_to_fp8x2(f, __NV_SATFINITE, kind)) {}         \
    explicit __host__ __device__ two(__nv_bfloat162 f)                                                                \
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(f, __NV_SATFINITE, kind)) {}                                             \
    explicit __host__ __device__ two(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, kind)) {}            \
    explicit __host__ __device__ two(double2 f) : __x(__nv_cvt_double2_to_fp8x2(f, __NV_SATFINITE, kind)) {}          \
    explicit __host__ __device__ operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind)); }  \
    explicit __host__ __device__ operator float2() const { return __half22float2(__half2(*this)); }                   \
  };                                                                                                                  \
  struct __align__(4) four {                                                                                          \
    __nv_fp8x4_storage_t __x;                                                                                         \
    four() = default;                                                                                                 \
    explicit __host__ __device__ four(__half2 low, __half2 high)                                                      \
        : __x(two(low).__x | (unsigned)two(high).__x << 16) {}                                                        \
    explicit __host__ __device__ four(__nv_bfloat162 low, __nv_bfloat162 high)                                        \
        : __x(two(low).__x | (unsigned)two(high).__x << 16) {}                                                        \
    explicit __host__ __device__ four(float4 f)                                                                       \
        : __x(two(make_float2(f.x, f.y)).__x | (unsigned)two(make_float2(f.z, f.w)).__x << 16) {}                     \
    explicit __host__ __device__ four(double4 f)                                                                      \
        : __x(two(make_double2(f.x, f.y)).__x | (unsigned)two(make_double2(f.z, f.w)).__x << 16) {}                   \
    explicit __host__ __device__ operator float4() const {                                                            \
      two low, high;                                                                                                  \
      low.__x = (__nv_fp8x2_storage_t)__x;                                                                            \
      high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                                   \
      const float2 a = float2(low), b = float2(high);                                                                 \
      return make_float4(a.x, a.y, b.x, b.y);                                                                         \
    }                                                                                                                 \
  };
DRYWARP_FP8_TYPES(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
DRYWARP_FP8_TYPES(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
#undef DRYWARP_FP8_TYPES

// A scale: a power of two from 2^-127 to 2^127, without a sign; 0xff is NaN. Values that are too large become the
// largest or NaN, values that are too small the smallest. Rounds towards zero or up.
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                        enum cudaRoundMode rounding) {
  if (x != x) return 0xffu;
  unsigned long long bits;
  const double magnitude = fabs(x);
  memcpy(&bits, &magnitude, sizeof bits);
  const unsigned long long mantissa = bits & 0xfffffffffffffull;
  const int exponent = (int)(bits >> 52) - 1023 + (rounding == cudaRoundPosInf && mantissa != 0);
  if (exponent > 127) return saturate == __NV_SATFINITE ? 0xfeu : 0xffu;
  return (__nv_fp8_storage_t)(exponent < -127 ? 0 : exponent + 127);
}
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                       enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
DRYWARP_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                             enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate, rounding);
}
DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate,
                                                             enum cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                                __nv_cvt_double_to_e8m0(x.y, saturate, rounding) << 8);
}
DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate,
                                                            enum cudaRoundMode rounding) {
  return __nv_cvt_double2_to_e8m0x2(make_double2(x.x, x.y), saturate, rounding);
}
DRYWARP_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x, __nv_saturation_t saturate,
                                                                  enum cudaRoundMode rounding) {
  __nv_bfloat16_raw low, high;
  low.x = x.x;
  high.x = x.y;
  return (__nv_fp8x2_storage_t)(__nv_cvt_bfloat16raw_to_e8m0(low, saturate, rounding) |
                                __nv_cvt_bfloat16raw_to_e8m0(high, saturate, rounding) << 8);
}
// 2^-127 is a subnormal bfloat16.
DRYWARP_BOTH __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  __nv_bfloat16_raw out;
  out.x = (unsigned short)(x == 0xffu ? 0x7fffu : x == 0 ? 0x40u : (unsigned)x << 7);
  return out;
}
DRYWARP_BOTH __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  __nv_bfloat162_raw out;
  out.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x;
  out.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x;
  return out;
}

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit __host__ __device__ __nv_fp8_e8m0(double f)
      : __x(__nv_cvt_double_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(float f) : __nv_fp8_e8m0(double(f)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(__half f) : __nv_fp8_e8m0(double(__half2float(f))) {}
  explicit __host__ __device__ __nv_fp8_e8m0(__nv_bfloat16 f) : __nv_fp8_e8m0(double(__bfloat162float(f))) {}
  explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x)); }
  explicit __host__ __device__ operator float() const { return __bfloat162float(__nv_bfloat16(*this)); }
  explicit __host__ __device__ operator double() const { return float(*this); }
  explicit __host__ __device__ operator __half() const { return __float2half(float(*this)); }
  explicit __host__ __device__ operator bool() const { return true; }  // no zero
};
struct __align__(2) __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e8m0() = default;
  explicit __host__ __device__ __nv_fp8x2_e8m0(double2 f)
      : __x(__nv_cvt_double2_to_e8m0x2(f, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(float2 f) : __nv_fp8x2_e8m0(make_double2(f.x, f.y)) {}
  explicit __host__ __device__ operator __nv_bfloat162() const {
    return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
  }
  explicit __host__ __device__ operator float2() const { return __bfloat1622float2(__nv_bfloat162(*this)); }
};
struct __align__(4) __nv_fp8x4_e8m0 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e8m0() = default;
  explicit __host__ __device__ __nv_fp8x4_e8m0(float4 f)
      : __x(__nv_fp8x2_e8m0(make_float2(f.x, f.y)).__x | (unsigned)__nv_fp8x2_e8m0(make_float2(f.z, f.w)).__x << 16) {}
  explicit __host__ __device__ operator float4() const {
    __nv_fp8x2_e8m0 low, high;
    low.__x = (__nv_fp8x2_storage_t)__x;
    high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
    const float2 a = float2(low), b = float2(high);
    return make_float4(a.x, a.y, b.x, b.y);
  }
};
#undef DRYWARP_FP8_TO_INTEGER

#endif
#endif
