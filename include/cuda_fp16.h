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

struct __nv_bfloat16;
#define DRYWARP_T __half
#define DRYWARP_T2 __half2
#define DRYWARP_RAW __half_raw
#define DRYWARP_RAW2 __half2_raw
#define DRYWARP_OTHER __nv_bfloat16
#define DRYWARP_NAME(a, b) a##half##b
#define DRYWARP_NAME2(a, b, c) a##half##b##half##c
#define DRYWARP_PTX "f16"
#define DRYWARP_FLUSH ".ftz"
#define DRYWARP_FROM(value) __half(value)
#define DRYWARP_TO(value) __half2float(value)
#define DRYWARP_BITS(value) (static_cast<__half_raw>(value).x)
#define DRYWARP_OF(bits) __ushort_as_half(bits)
#define DRYWARP_PAIR(low, high) __half2(low, high)
#include "drywarp/half/type.inc"

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

#include "drywarp/half/conversions.inc"
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
