// Half precision (IEEE binary16): the types __half and __half2, their conversions here, their operations in
// drywarp/half/operations.inc. Works in device code, in the host code of a .cu file and in plain C++.
#ifndef DRYWARP_CUDA_FP16_H
#define DRYWARP_CUDA_FP16_H
#pragma GCC system_header
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__

#include "cuda_runtime.h"
#if defined(__cplusplus)
#include "drywarp/device/specifiers.h"
#include "drywarp/half/small_floats.h"

struct __align__(2) __half_raw {
  unsigned short x;
};
struct __align__(4) __half2_raw {
  unsigned short x, y;
};

struct __half;
struct __nv_bfloat16;
DRYWARP_BOTH __half __float2half_rn(float value);
DRYWARP_BOTH __half __double2half(double value);
DRYWARP_BOTH float __half2float(__half value);
#define DRYWARP_TRUNCATED(type, name, ...) DRYWARP_BOTH type __half2##name##_rz(__half value);
DRYWARP_BYTES(DRYWARP_TRUNCATED)
DRYWARP_INTEGERS(DRYWARP_TRUNCATED)
#undef DRYWARP_TRUNCATED

struct __align__(2) __half {
 protected:
  unsigned short __x;

 public:
  __half() = default;
  __host__ __device__ __half(const __half_raw& raw) : __x(raw.x) {}
  __host__ __device__ __half(float value) : __x(__float2half_rn(value).__x) {}
  __host__ __device__ __half(double value) : __x(__double2half(value).__x) {}
  __host__ __device__ __half(short value) : __x(__float2half_rn(static_cast<float>(value)).__x) {}
  __host__ __device__ __half(unsigned short value) : __x(__float2half_rn(static_cast<float>(value)).__x) {}
  __host__ __device__ __half(int value) : __x(__double2half(static_cast<double>(value)).__x) {}
  __host__ __device__ __half(unsigned int value) : __x(__double2half(static_cast<double>(value)).__x) {}
  __host__ __device__ __half(long value) : __x(__double2half(static_cast<double>(value)).__x) {}
  __host__ __device__ __half(unsigned long value) : __x(__double2half(static_cast<double>(value)).__x) {}
  __host__ __device__ __half(long long value) : __x(__double2half(static_cast<double>(value)).__x) {}
  __host__ __device__ __half(unsigned long long value) : __x(__double2half(static_cast<double>(value)).__x) {}
  explicit __host__ __device__ __half(__nv_bfloat16 value);  // in cuda_bf16.h
  __host__ __device__ operator __half_raw() const {
    __half_raw raw;
    raw.x = __x;
    return raw;
  }
  __host__ __device__ operator __half_raw() const volatile {
    __half_raw raw;
    raw.x = __x;
    return raw;
  }
  __host__ __device__ operator float() const { return __half2float(*this); }
  __host__ __device__ operator bool() const { return (__x & 0x7fffu) != 0; }
  // char is signed, long has 64 bits.
  __host__ __device__ operator char() const { return static_cast<char>(__half2char_rz(*this)); }
  __host__ __device__ operator signed char() const { return __half2char_rz(*this); }
  __host__ __device__ operator unsigned char() const { return __half2uchar_rz(*this); }
  __host__ __device__ operator short() const { return __half2short_rz(*this); }
  __host__ __device__ operator unsigned short() const { return __half2ushort_rz(*this); }
  __host__ __device__ operator int() const { return __half2int_rz(*this); }
  __host__ __device__ operator unsigned int() const { return __half2uint_rz(*this); }
  __host__ __device__ operator long() const { return __half2ll_rz(*this); }
  __host__ __device__ operator unsigned long() const { return __half2ull_rz(*this); }
  __host__ __device__ operator long long() const { return __half2ll_rz(*this); }
  __host__ __device__ operator unsigned long long() const { return __half2ull_rz(*this); }
  __host__ __device__ __half& operator=(const __half_raw& raw) {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __half& operator=(const __half_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ __half& operator=(float value) {
    __x = __float2half_rn(value).__x;
    return *this;
  }
  __host__ __device__ __half& operator=(double value) {
    __x = __double2half(value).__x;
    return *this;
  }
#define DRYWARP_ASSIGN(type)                             \
  __host__ __device__ __half& operator=(type value) {    \
    __x = __double2half(static_cast<double>(value)).__x; \
    return *this;                                        \
  }
  DRYWARP_ASSIGN(short)
  DRYWARP_ASSIGN(unsigned short)
  DRYWARP_ASSIGN(int)
  DRYWARP_ASSIGN(unsigned int)
  DRYWARP_ASSIGN(long long)
  DRYWARP_ASSIGN(unsigned long long)
#undef DRYWARP_ASSIGN
};

#define DRYWARP_BITS(value) (static_cast<__half_raw>(value).x)
DRYWARP_BOTH __half __ushort_as_half(unsigned short bits) {
  __half_raw raw;
  raw.x = bits;
  return __half(raw);
}
DRYWARP_BOTH __half __short_as_half(short bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
DRYWARP_BOTH unsigned short __half_as_ushort(__half value) { return DRYWARP_BITS(value); }
DRYWARP_BOTH short __half_as_short(__half value) { return static_cast<short>(DRYWARP_BITS(value)); }

// Conversions from wider floating-point types.
DRYWARP_BOTH __half __drywarp_half(double value, enum __drywarp_rounding mode) {
  return __ushort_as_half(static_cast<unsigned short>(__drywarp_encode(value, 5, 10, mode)));
}
#if defined(__CUDA_ARCH__)
#define DRYWARP_FROM_WIDER(name, type, ptx, constraint, rounding, host_mode)   \
  DRYWARP_BOTH __half name(type value) {                                       \
    unsigned short r;                                                          \
    asm("cvt." rounding ".f16." ptx " %0, %1;" : "=h"(r) : constraint(value)); \
    return __ushort_as_half(r);                                                \
  }
#else
#define DRYWARP_FROM_WIDER(name, type, ptx, constraint, rounding, host_mode) \
  DRYWARP_BOTH __half name(type value) { return __drywarp_half(value, host_mode); }
#endif
DRYWARP_FROM_WIDER(__float2half_rn, float, "f32", "f", "rn", __drywarp_nearest)
DRYWARP_FROM_WIDER(__float2half, float, "f32", "f", "rn", __drywarp_nearest)
DRYWARP_FROM_WIDER(__float2half_rz, float, "f32", "f", "rz", __drywarp_to_zero)
DRYWARP_FROM_WIDER(__float2half_rd, float, "f32", "f", "rm", __drywarp_down)
DRYWARP_FROM_WIDER(__float2half_ru, float, "f32", "f", "rp", __drywarp_up)
DRYWARP_FROM_WIDER(__double2half, double, "f64", "d", "rn", __drywarp_nearest)
#undef DRYWARP_FROM_WIDER
DRYWARP_BOTH float __half2float(__half value) {
#if defined(__CUDA_ARCH__)
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(DRYWARP_BITS(value)));
  return r;
#else
  return static_cast<float>(__drywarp_decode(DRYWARP_BITS(value), 5, 10));
#endif
}

// Conversions to and from integers, by rounding mode.
#define DRYWARP_TO_INTEGER(type, name, mode, round, low, high, greatest, nan)                                  \
  DRYWARP_BOTH type __half2##name##_##mode(__half value) {                                                     \
    const float x = round(__half2float(value));                                                                \
    return x != x ? nan : x <= (low) ? static_cast<type>(low) : x >= (high) ? greatest : static_cast<type>(x); \
  }
#define DRYWARP_FROM_INTEGER(type, name, mode, rounding)         \
  DRYWARP_BOTH __half __##name##2half_##mode(type value) {       \
    return __drywarp_half(static_cast<double>(value), rounding); \
  }
#define DRYWARP_BYTE(type, name, ...) DRYWARP_TO_INTEGER(type, name, rz, __builtin_truncf, __VA_ARGS__)
#define DRYWARP_INTEGER(type, name, ...)                            \
  DRYWARP_TO_INTEGER(type, name, rn, __builtin_rintf, __VA_ARGS__)  \
  DRYWARP_TO_INTEGER(type, name, rz, __builtin_truncf, __VA_ARGS__) \
  DRYWARP_TO_INTEGER(type, name, rd, __builtin_floorf, __VA_ARGS__) \
  DRYWARP_TO_INTEGER(type, name, ru, __builtin_ceilf, __VA_ARGS__)  \
  DRYWARP_FROM_INTEGER(type, name, rn, __drywarp_nearest)           \
  DRYWARP_FROM_INTEGER(type, name, rz, __drywarp_to_zero)           \
  DRYWARP_FROM_INTEGER(type, name, rd, __drywarp_down)              \
  DRYWARP_FROM_INTEGER(type, name, ru, __drywarp_up)
DRYWARP_BYTES(DRYWARP_BYTE)
DRYWARP_INTEGERS(DRYWARP_INTEGER)
#undef DRYWARP_BYTE
#undef DRYWARP_INTEGER
#undef DRYWARP_TO_INTEGER
#undef DRYWARP_FROM_INTEGER

struct __align__(4) __half2 {
  __half x, y;
  __half2() = default;
  __half2(const __half2&) = default;
  __half2(__half2&&) = default;
  __half2& operator=(const __half2&) = default;
  __half2& operator=(__half2&&) = default;
  __host__ __device__ __half2(const __half& low, const __half& high) : x(low), y(high) {}
  __host__ __device__ __half2(const __half2_raw& raw) : x(__ushort_as_half(raw.x)), y(__ushort_as_half(raw.y)) {}
  __host__ __device__ operator __half2_raw() const {
    __half2_raw raw;
    raw.x = DRYWARP_BITS(x);
    raw.y = DRYWARP_BITS(y);
    return raw;
  }
};

DRYWARP_BOTH __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
DRYWARP_BOTH __half2 make_half2(__half low, __half high) { return __half2(low, high); }
DRYWARP_BOTH __half2 __half2half2(__half value) { return __half2(value, value); }
DRYWARP_BOTH __half2 __float2half2_rn(float value) { return __half2half2(__float2half_rn(value)); }
DRYWARP_BOTH __half2 __floats2half2_rn(float low, float high) {
#if defined(__CUDA_ARCH__)
  unsigned r;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return __builtin_bit_cast(__half2, r);
#else
  return __half2(__float2half_rn(low), __float2half_rn(high));
#endif
}
DRYWARP_BOTH __half2 __float22half2_rn(float2 value) { return __floats2half2_rn(value.x, value.y); }
DRYWARP_BOTH float2 __half22float2(__half2 value) { return make_float2(__half2float(value.x), __half2float(value.y)); }
DRYWARP_BOTH float __low2float(__half2 value) { return __half2float(value.x); }
DRYWARP_BOTH float __high2float(__half2 value) { return __half2float(value.y); }
DRYWARP_BOTH __half __low2half(__half2 value) { return value.x; }
DRYWARP_BOTH __half __high2half(__half2 value) { return value.y; }
DRYWARP_BOTH __half2 __low2half2(__half2 value) { return __half2(value.x, value.x); }
DRYWARP_BOTH __half2 __high2half2(__half2 value) { return __half2(value.y, value.y); }
DRYWARP_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
DRYWARP_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
DRYWARP_BOTH __half2 __lowhigh2highlow(__half2 value) { return __half2(value.y, value.x); }

#define DRYWARP_T __half
#define DRYWARP_T2 __half2
#define DRYWARP_PTX "f16"
#define DRYWARP_FROM(value) __half(value)
#define DRYWARP_TO(value) __half2float(value)
#define DRYWARP_OF(bits) __ushort_as_half(bits)
#define DRYWARP_PAIR(low, high) __half2(low, high)
#include "drywarp/half/operations.inc"
#include "drywarp/half/undefine.inc"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half __nv_half;
typedef __half2 nv_half2;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00u)

#endif
#endif
