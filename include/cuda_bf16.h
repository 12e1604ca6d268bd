// bfloat16 (the upper half of a float): the types __nv_bfloat16 and __nv_bfloat162, their conversions here, their
// operations in drywarp/half/operations.inc. Works in device code, in the host code of a .cu file and in plain C++.
#ifndef DRYWARP_CUDA_BF16_H
#define DRYWARP_CUDA_BF16_H
#pragma GCC system_header
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#if defined(__cplusplus)
#include "drywarp/device/specifiers.h"
#include "drywarp/half/small_floats.h"

struct __align__(2) __nv_bfloat16_raw {
  unsigned short x;
};
struct __align__(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16;
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rn(float value);
DRYWARP_BOTH __nv_bfloat16 __double2bfloat16(double value);
DRYWARP_BOTH float __bfloat162float(__nv_bfloat16 value);
#define DRYWARP_TRUNCATED(type, name, ...) DRYWARP_BOTH type __bfloat162##name##_rz(__nv_bfloat16 value);
DRYWARP_BYTES(DRYWARP_TRUNCATED)
DRYWARP_INTEGERS(DRYWARP_TRUNCATED)
#undef DRYWARP_TRUNCATED

struct __align__(2) __nv_bfloat16 {
 protected:
  unsigned short __x;

 public:
  __nv_bfloat16() = default;
  __host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw& raw) : __x(raw.x) {}
  __host__ __device__ __nv_bfloat16(float value) : __x(__float2bfloat16_rn(value).__x) {}
  __host__ __device__ __nv_bfloat16(double value) : __x(__double2bfloat16(value).__x) {}
  __host__ __device__ __nv_bfloat16(short value) : __x(__float2bfloat16_rn(static_cast<float>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(unsigned short value) : __x(__float2bfloat16_rn(static_cast<float>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(int value) : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(unsigned int value) : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(long value) : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(unsigned long value) : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(long long value) : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  __host__ __device__ __nv_bfloat16(unsigned long long value)
      : __x(__double2bfloat16(static_cast<double>(value)).__x) {}
  explicit __host__ __device__ __nv_bfloat16(__half value) : __nv_bfloat16(__half2float(value)) {}
  __host__ __device__ operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw raw;
    raw.x = __x;
    return raw;
  }
  __host__ __device__ operator __nv_bfloat16_raw() const volatile {
    __nv_bfloat16_raw raw;
    raw.x = __x;
    return raw;
  }
  __host__ __device__ operator float() const { return __bfloat162float(*this); }
  __host__ __device__ operator bool() const { return (__x & 0x7fffu) != 0; }
  // char is signed, long has 64 bits.
  __host__ __device__ operator char() const { return static_cast<char>(__bfloat162char_rz(*this)); }
  __host__ __device__ operator signed char() const { return __bfloat162char_rz(*this); }
  __host__ __device__ operator unsigned char() const { return __bfloat162uchar_rz(*this); }
  __host__ __device__ operator short() const { return __bfloat162short_rz(*this); }
  __host__ __device__ operator unsigned short() const { return __bfloat162ushort_rz(*this); }
  __host__ __device__ operator int() const { return __bfloat162int_rz(*this); }
  __host__ __device__ operator unsigned int() const { return __bfloat162uint_rz(*this); }
  __host__ __device__ operator long() const { return __bfloat162ll_rz(*this); }
  __host__ __device__ operator unsigned long() const { return __bfloat162ull_rz(*this); }
  __host__ __device__ operator long long() const { return __bfloat162ll_rz(*this); }
  __host__ __device__ operator unsigned long long() const { return __bfloat162ull_rz(*this); }
  __host__ __device__ __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ volatile __nv_bfloat16& operator=(const __nv_bfloat16_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }
  __host__ __device__ __nv_bfloat16& operator=(float value) {
    __x = __float2bfloat16_rn(value).__x;
    return *this;
  }
  __host__ __device__ __nv_bfloat16& operator=(double value) {
    __x = __double2bfloat16(value).__x;
    return *this;
  }
#define DRYWARP_ASSIGN(type)                                 \
  __host__ __device__ __nv_bfloat16& operator=(type value) { \
    __x = __double2bfloat16(static_cast<double>(value)).__x; \
    return *this;                                            \
  }
  DRYWARP_ASSIGN(short)
  DRYWARP_ASSIGN(unsigned short)
  DRYWARP_ASSIGN(int)
  DRYWARP_ASSIGN(unsigned int)
  DRYWARP_ASSIGN(long long)
  DRYWARP_ASSIGN(unsigned long long)
#undef DRYWARP_ASSIGN
};

#define DRYWARP_BITS(value) (static_cast<__nv_bfloat16_raw>(value).x)
DRYWARP_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16_raw raw;
  raw.x = bits;
  return __nv_bfloat16(raw);
}
DRYWARP_BOTH __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(bits));
}
DRYWARP_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 value) { return DRYWARP_BITS(value); }
DRYWARP_BOTH short __bfloat16_as_short(__nv_bfloat16 value) { return static_cast<short>(DRYWARP_BITS(value)); }

// Conversions from wider floating-point types.
DRYWARP_BOTH __nv_bfloat16 __drywarp_bfloat16(double value, enum __drywarp_rounding mode) {
  return __ushort_as_bfloat16(static_cast<unsigned short>(__drywarp_encode(value, 8, 7, mode)));
}
#if defined(__CUDA_ARCH__)
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rn(float value) {
  unsigned short r;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(value));
  return __ushort_as_bfloat16(r);
}
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rz(float value) {
  unsigned short r;
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(r) : "f"(value));
  return __ushort_as_bfloat16(r);
}
#else
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rn(float value) { return __drywarp_bfloat16(value, __drywarp_nearest); }
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rz(float value) { return __drywarp_bfloat16(value, __drywarp_to_zero); }
#endif
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16(float value) { return __float2bfloat16_rn(value); }
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_rd(float value) { return __drywarp_bfloat16(value, __drywarp_down); }
DRYWARP_BOTH __nv_bfloat16 __float2bfloat16_ru(float value) { return __drywarp_bfloat16(value, __drywarp_up); }
DRYWARP_BOTH __nv_bfloat16 __double2bfloat16(double value) { return __drywarp_bfloat16(value, __drywarp_nearest); }
// A bfloat16 is a float without its lower half.
DRYWARP_BOTH float __bfloat162float(__nv_bfloat16 value) {
  const unsigned bits = static_cast<unsigned>(DRYWARP_BITS(value)) << 16;
  return __builtin_bit_cast(float, bits);
}

// Conversions to and from integers, by rounding mode.
#define DRYWARP_TO_INTEGER(type, name, mode, round, low, high, greatest, nan)                                  \
  DRYWARP_BOTH type __bfloat162##name##_##mode(__nv_bfloat16 value) {                                          \
    const float x = round(__bfloat162float(value));                                                            \
    return x != x ? nan : x <= (low) ? static_cast<type>(low) : x >= (high) ? greatest : static_cast<type>(x); \
  }
#define DRYWARP_FROM_INTEGER(type, name, mode, rounding)              \
  DRYWARP_BOTH __nv_bfloat16 __##name##2bfloat16_##mode(type value) { \
    return __drywarp_bfloat16(static_cast<double>(value), rounding);  \
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

struct __align__(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(const __nv_bfloat162&) = default;
  __nv_bfloat162(__nv_bfloat162&&) = default;
  __nv_bfloat162& operator=(const __nv_bfloat162&) = default;
  __nv_bfloat162& operator=(__nv_bfloat162&&) = default;
  __host__ __device__ __nv_bfloat162(const __nv_bfloat16& low, const __nv_bfloat16& high) : x(low), y(high) {}
  __host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__ushort_as_bfloat16(raw.x)), y(__ushort_as_bfloat16(raw.y)) {}
  __host__ __device__ operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw raw;
    raw.x = DRYWARP_BITS(x);
    raw.y = DRYWARP_BITS(y);
    return raw;
  }
};

DRYWARP_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162(low, high);
}
DRYWARP_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) { return __nv_bfloat162(low, high); }
DRYWARP_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value) { return __nv_bfloat162(value, value); }
DRYWARP_BOTH __nv_bfloat162 __float2bfloat162_rn(float value) {
  return __bfloat162bfloat162(__float2bfloat16_rn(value));
}
DRYWARP_BOTH __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
#if defined(__CUDA_ARCH__)
  unsigned r;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
  return __builtin_bit_cast(__nv_bfloat162, r);
#else
  return __nv_bfloat162(__float2bfloat16_rn(low), __float2bfloat16_rn(high));
#endif
}
DRYWARP_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 value) { return __floats2bfloat162_rn(value.x, value.y); }
DRYWARP_BOTH float2 __bfloat1622float2(__nv_bfloat162 value) {
  return make_float2(__bfloat162float(value.x), __bfloat162float(value.y));
}
DRYWARP_BOTH float __low2float(__nv_bfloat162 value) { return __bfloat162float(value.x); }
DRYWARP_BOTH float __high2float(__nv_bfloat162 value) { return __bfloat162float(value.y); }
DRYWARP_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 value) { return value.x; }
DRYWARP_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 value) { return value.y; }
DRYWARP_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 value) { return __nv_bfloat162(value.x, value.x); }
DRYWARP_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 value) { return __nv_bfloat162(value.y, value.y); }
DRYWARP_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
DRYWARP_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
DRYWARP_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 value) { return __nv_bfloat162(value.y, value.x); }

#define DRYWARP_T __nv_bfloat16
#define DRYWARP_T2 __nv_bfloat162
#define DRYWARP_PTX "bf16"
#define DRYWARP_FROM(value) __nv_bfloat16(value)
#define DRYWARP_TO(value) __bfloat162float(value)
#define DRYWARP_OF(bits) __ushort_as_bfloat16(bits)
#define DRYWARP_PAIR(low, high) __nv_bfloat162(low, high)
#include "drywarp/half/operations.inc"
#include "drywarp/half/undefine.inc"

__host__ __device__ inline __half::__half(__nv_bfloat16 value) : __half(__bfloat162float(value)) {}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7Fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80u)

#endif
#endif
