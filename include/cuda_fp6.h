// 6-bit floating point: e2m3 (up to 7.5) and e3m2 (up to 28), a byte each, alone, in twos and in fours.
#ifndef DRYWARP_CUDA_FP6_H
#define DRYWARP_CUDA_FP6_H
#pragma GCC system_header
#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__

#include "drywarp/half/tiny_floats.h"

#if defined(__cplusplus)
typedef __nv_fp8_storage_t __nv_fp6_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp6x2_storage_t;
typedef __nv_fp8x4_storage_t __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

DRYWARP_TINY_FUNCTIONS(6, __nv_fp6_interpretation_t, (kind == __NV_E2M3 ? 2 : 3), (kind == __NV_E2M3 ? 3 : 2), 8)
DRYWARP_TINY_TYPES(6, e2m3, __NV_E2M3, 8)
DRYWARP_TINY_TYPES(6, e3m2, __NV_E3M2, 8)
#endif

#endif
