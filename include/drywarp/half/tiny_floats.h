// Floating point of 4 and 6 bits, where all codes are finite. Values that are too large become the largest number, a
// NaN the largest positive one (PTX ISA, cvt.satfinite). Every float is a double, so one pair of functions is enough.
#ifndef DRYWARP_HALF_TINY_FLOATS_H
#define DRYWARP_HALF_TINY_FLOATS_H
#pragma GCC system_header

#include "cuda_fp8.h"

#if defined(__cplusplus)

// 2^exponent, for normal numbers.
static __host__ __device__ inline double __drywarp_power_of_two(int exponent) {
  const unsigned long long bits = (unsigned long long)(exponent + 1023) << 52;
  double out;
  memcpy(&out, &bits, sizeof out);
  return out;
}

// To the nearest, ties to the even code.
static __host__ __device__ inline unsigned __drywarp_encode_finite(double value, int exponent_bits, int mantissa_bits) {
  const unsigned most = (1u << (exponent_bits + mantissa_bits)) - 1u;
  if (value != value) return most;
  const unsigned sign = signbit(value) ? most + 1u : 0u;
  const int smallest = 2 - (1 << (exponent_bits - 1));  // the exponent of the smallest normal number
  const double magnitude = fabs(value);
  if (magnitude >= __drywarp_power_of_two(4)) {  // saturates; larger than any value handled below
    const int top = (1 << exponent_bits) - 2 + smallest;
    if (magnitude >= __drywarp_power_of_two(top + 1)) return sign | most;
  }
  unsigned long long bits;
  memcpy(&bits, &magnitude, sizeof bits);
  int exponent = (int)(bits >> 52) - 1023;
  if (exponent < smallest) exponent = smallest;
  // In units of the last place; the leading one adds one to the exponent field.
  const double units = magnitude * __drywarp_power_of_two(mantissa_bits - exponent);
  unsigned kept = (unsigned)units;
  const double rest = units - (double)kept;
  if (rest > 0.5 || (rest == 0.5 && (kept & 1u))) ++kept;
  const unsigned code = ((unsigned)(exponent - smallest) << mantissa_bits) + kept;
  return sign | (code < most ? code : most);
}

static __host__ __device__ inline float __drywarp_decode_finite(unsigned code, int exponent_bits, int mantissa_bits) {
  const unsigned negative = code >> (exponent_bits + mantissa_bits) & 1u;
  const int field = (int)(code >> mantissa_bits & ((1u << exponent_bits) - 1u));
  const unsigned mantissa = code & ((1u << mantissa_bits) - 1u);
  const int smallest = 2 - (1 << (exponent_bits - 1));
  const unsigned whole = field ? mantissa | 1u << mantissa_bits : mantissa;
  const double size = (double)whole * __drywarp_power_of_two((field ? field - 1 : 0) + smallest - mantissa_bits);
  return (float)(negative ? -size : size);
}

// Casts to integers round towards zero and saturate.
#define DRYWARP_TINY_TO_INTEGER(type, least)            \
  explicit __host__ __device__ operator type() const {  \
    const float f = float(*this);                       \
    return f <= float(least) ? (type)(least) : (type)f; \
  }

// The functions and types of one width; pairs and quads have a number every `bits` bits.
#define DRYWARP_TINY_FUNCTIONS(width, interpretation, exponent_bits, mantissa_bits, bits)                             \
  DRYWARP_BOTH __nv_fp##width##_storage_t __nv_cvt_double_to_fp##width(double x, interpretation kind,                 \
                                                                       enum cudaRoundMode) {                          \
    (void)kind;                                                                                                       \
    return (__nv_fp##width##_storage_t)__drywarp_encode_finite(x, exponent_bits, mantissa_bits);                      \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##x2_storage_t __nv_cvt_double2_to_fp##width##x2(double2 x, interpretation kind,         \
                                                                              enum cudaRoundMode mode) {              \
    return (__nv_fp##width##x2_storage_t)(__nv_cvt_double_to_fp##width(x.x, kind, mode) |                             \
                                          (unsigned)__nv_cvt_double_to_fp##width(x.y, kind, mode) << bits);           \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##_storage_t __nv_cvt_float_to_fp##width(float x, interpretation kind,                   \
                                                                      enum cudaRoundMode mode) {                      \
    return __nv_cvt_double_to_fp##width(x, kind, mode);                                                               \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##x2_storage_t __nv_cvt_float2_to_fp##width##x2(float2 x, interpretation kind,           \
                                                                             enum cudaRoundMode mode) {               \
    return __nv_cvt_double2_to_fp##width##x2(make_double2(x.x, x.y), kind, mode);                                     \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##_storage_t __nv_cvt_halfraw_to_fp##width(__half_raw x, interpretation kind,            \
                                                                        enum cudaRoundMode mode) {                    \
    return __nv_cvt_float_to_fp##width(__half2float(__half(x)), kind, mode);                                          \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##x2_storage_t __nv_cvt_halfraw2_to_fp##width##x2(__half2_raw x, interpretation kind,    \
                                                                               enum cudaRoundMode mode) {             \
    return __nv_cvt_float2_to_fp##width##x2(__half22float2(__half2(x)), kind, mode);                                  \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##_storage_t __nv_cvt_bfloat16raw_to_fp##width(__nv_bfloat16_raw x, interpretation kind, \
                                                                            enum cudaRoundMode mode) {                \
    return __nv_cvt_float_to_fp##width(__bfloat162float(__nv_bfloat16(x)), kind, mode);                               \
  }                                                                                                                   \
  DRYWARP_BOTH __nv_fp##width##x2_storage_t __nv_cvt_bfloat16raw2_to_fp##width##x2(                                   \
      __nv_bfloat162_raw x, interpretation kind, enum cudaRoundMode mode) {                                           \
    __nv_bfloat16_raw low, high;                                                                                      \
    low.x = x.x;                                                                                                      \
    high.x = x.y;                                                                                                     \
    return (__nv_fp##width##x2_storage_t)(__nv_cvt_bfloat16raw_to_fp##width(low, kind, mode) |                        \
                                          (unsigned)__nv_cvt_bfloat16raw_to_fp##width(high, kind, mode) << bits);     \
  }                                                                                                                   \
  DRYWARP_BOTH __half_raw __nv_cvt_fp##width##_to_halfraw(__nv_fp##width##_storage_t x, interpretation kind) {        \
    (void)kind;                                                                                                       \
    return (__half_raw)__float2half(__drywarp_decode_finite(x, exponent_bits, mantissa_bits));                        \
  }                                                                                                                   \
  DRYWARP_BOTH __half2_raw __nv_cvt_fp##width##x2_to_halfraw2(__nv_fp##width##x2_storage_t x, interpretation kind) {  \
    __half2_raw out;                                                                                                  \
    out.x = __nv_cvt_fp##width##_to_halfraw((__nv_fp##width##_storage_t)(x & ((1u << bits) - 1u)), kind).x;           \
    out.y = __nv_cvt_fp##width##_to_halfraw((__nv_fp##width##_storage_t)((unsigned)x >> bits), kind).x;               \
    return out;                                                                                                       \
  }

#define DRYWARP_TINY_TYPES(width, format, kind, bits)                                                                  \
  struct __nv_fp##width##_##format {                                                                                   \
    __nv_fp##width##_storage_t __x;                                                                                    \
    __nv_fp##width##_##format() = default;                                                                             \
    explicit __host__ __device__ __nv_fp##width##_##format(double f)                                                   \
        : __x(__nv_cvt_double_to_fp##width(f, kind, cudaRoundNearest)) {}                                              \
    explicit __host__ __device__ __nv_fp##width##_##format(float f) : __nv_fp##width##_##format(double(f)) {}          \
    explicit __host__ __device__ __nv_fp##width##_##format(__half f)                                                   \
        : __nv_fp##width##_##format(double(__half2float(f))) {}                                                        \
    explicit __host__ __device__ __nv_fp##width##_##format(__nv_bfloat16 f)                                            \
        : __nv_fp##width##_##format(double(__bfloat162float(f))) {}                                                    \
    explicit __host__ __device__ __nv_fp##width##_##format(unsigned short v) : __nv_fp##width##_##format(double(v)) {} \
    explicit __host__ __device__ __nv_fp##width##_##format(unsigned v) : __nv_fp##width##_##format(double(v)) {}       \
    explicit __host__ __device__ __nv_fp##width##_##format(unsigned long v) : __nv_fp##width##_##format(double(v)) {}  \
    explicit __host__ __device__ __nv_fp##width##_##format(unsigned long long v)                                       \
        : __nv_fp##width##_##format(double(v)) {}                                                                      \
    explicit __host__ __device__ __nv_fp##width##_##format(short v) : __nv_fp##width##_##format(double(v)) {}          \
    explicit __host__ __device__ __nv_fp##width##_##format(int v) : __nv_fp##width##_##format(double(v)) {}            \
    explicit __host__ __device__ __nv_fp##width##_##format(long v) : __nv_fp##width##_##format(double(v)) {}           \
    explicit __host__ __device__ __nv_fp##width##_##format(long long v) : __nv_fp##width##_##format(double(v)) {}      \
    explicit __host__ __device__ operator __half() const {                                                             \
      return __half(__nv_cvt_fp##width##_to_halfraw(__x, kind));                                                       \
    }                                                                                                                  \
    explicit __host__ __device__ operator float() const { return __half2float(__half(*this)); }                        \
    explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rn(float(*this)); }          \
    explicit __host__ __device__ operator double() const { return float(*this); }                                      \
    explicit __host__ __device__ operator bool() const { return float(*this) != 0.0f; }                                \
    DRYWARP_TINY_TO_INTEGER(char, CHAR_MIN)                                                                            \
    DRYWARP_TINY_TO_INTEGER(signed char, SCHAR_MIN)                                                                    \
    DRYWARP_TINY_TO_INTEGER(unsigned char, 0)                                                                          \
    DRYWARP_TINY_TO_INTEGER(short, SHRT_MIN)                                                                           \
    DRYWARP_TINY_TO_INTEGER(unsigned short, 0)                                                                         \
    DRYWARP_TINY_TO_INTEGER(int, INT_MIN)                                                                              \
    DRYWARP_TINY_TO_INTEGER(unsigned int, 0)                                                                           \
    DRYWARP_TINY_TO_INTEGER(long, LONG_MIN)                                                                            \
    DRYWARP_TINY_TO_INTEGER(unsigned long, 0)                                                                          \
    DRYWARP_TINY_TO_INTEGER(long long, LLONG_MIN)                                                                      \
    DRYWARP_TINY_TO_INTEGER(unsigned long long, 0)                                                                     \
  };                                                                                                                   \
  struct __nv_fp##width##x2_##format {                                                                                 \
    __nv_fp##width##x2_storage_t __x;                                                                                  \
    __nv_fp##width##x2_##format() = default;                                                                           \
    explicit __host__ __device__ __nv_fp##width##x2_##format(double2 f)                                                \
        : __x(__nv_cvt_double2_to_fp##width##x2(f, kind, cudaRoundNearest)) {}                                         \
    explicit __host__ __device__ __nv_fp##width##x2_##format(float2 f)                                                 \
        : __nv_fp##width##x2_##format(make_double2(f.x, f.y)) {}                                                       \
    explicit __host__ __device__ __nv_fp##width##x2_##format(__half2 f)                                                \
        : __nv_fp##width##x2_##format(__half22float2(f)) {}                                                            \
    explicit __host__ __device__ __nv_fp##width##x2_##format(__nv_bfloat162 f)                                         \
        : __nv_fp##width##x2_##format(__bfloat1622float2(f)) {}                                                        \
    explicit __host__ __device__ operator __half2() const {                                                            \
      return __half2(__nv_cvt_fp##width##x2_to_halfraw2(__x, kind));                                                   \
    }                                                                                                                  \
    explicit __host__ __device__ operator float2() const { return __half22float2(__half2(*this)); }                    \
  };                                                                                                                   \
  struct __nv_fp##width##x4_##format {                                                                                 \
    __nv_fp##width##x4_storage_t __x;                                                                                  \
    __nv_fp##width##x4_##format() = default;                                                                           \
    explicit __host__ __device__ __nv_fp##width##x4_##format(double4 f)                                                \
        : __x((__nv_fp##width##x4_storage_t)(__nv_fp##width##x2_##format(make_double2(f.x, f.y)).__x |                 \
                                             (unsigned)__nv_fp##width##x2_##format(make_double2(f.z, f.w)).__x         \
                                                 << (2 * bits))) {}                                                    \
    explicit __host__ __device__ __nv_fp##width##x4_##format(float4 f)                                                 \
        : __nv_fp##width##x4_##format(make_double4(f.x, f.y, f.z, f.w)) {}                                             \
    explicit __host__ __device__ __nv_fp##width##x4_##format(__half2 low, __half2 high)                                \
        : __nv_fp##width##x4_##format(make_float4(__half22float2(low).x, __half22float2(low).y,                        \
                                                  __half22float2(high).x, __half22float2(high).y)) {}                  \
    explicit __host__ __device__ __nv_fp##width##x4_##format(__nv_bfloat162 low, __nv_bfloat162 high)                  \
        : __nv_fp##width##x4_##format(make_float4(__bfloat1622float2(low).x, __bfloat1622float2(low).y,                \
                                                  __bfloat1622float2(high).x, __bfloat1622float2(high).y)) {}          \
    explicit __host__ __device__ operator float4() const {                                                             \
      __nv_fp##width##x2_##format low, high;                                                                           \
      low.__x = (__nv_fp##width##x2_storage_t)(__x & ((1ull << (2 * bits)) - 1u));                                     \
      high.__x = (__nv_fp##width##x2_storage_t)((unsigned)__x >> (2 * bits));                                          \
      const float2 a = float2(low), b = float2(high);                                                                  \
      return make_float4(a.x, a.y, b.x, b.y);                                                                          \
    }                                                                                                                  \
  };

#endif
#endif
