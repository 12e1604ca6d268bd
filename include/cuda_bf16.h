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

#define DRYWARP_T __nv_bfloat16
#define DRYWARP_T2 __nv_bfloat162
#define DRYWARP_RAW __nv_bfloat16_raw
#define DRYWARP_RAW2 __nv_bfloat162_raw
#define DRYWARP_OTHER __half
#define DRYWARP_NAME(a, b) a##bfloat16##b
#define DRYWARP_NAME2(a, b, c) a##bfloat16##b##bfloat16##c
#define DRYWARP_PTX "bf16"
#define DRYWARP_FLUSH ""
#define DRYWARP_FROM(value) __nv_bfloat16(value)
#define DRYWARP_TO(value) __bfloat162float(value)
#define DRYWARP_BITS(value) (static_cast<__nv_bfloat16_raw>(value).x)
#define DRYWARP_OF(bits) __ushort_as_bfloat16(bits)
#define DRYWARP_PAIR(low, high) __nv_bfloat162(low, high)
#include "drywarp/half/type.inc"

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

#include "drywarp/half/conversions.inc"
#include "drywarp/half/operations.inc"
#include "drywarp/half/undefine.inc"

__host__ __device__ inline __half::__half(__nv_bfloat16 value) : __half(__bfloat162float(value)) {}
__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(__half value) : __nv_bfloat16(__half2float(value)) {}

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
