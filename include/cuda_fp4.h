// 4-bit floating point, e2m1: 0, 0.5, 1, 1.5, 2, 3, 4 and 6, alone, in twos (a byte) and in fours.
#ifndef DRYWARP_CUDA_FP4_H
#define DRYWARP_CUDA_FP4_H
#pragma GCC system_header
#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__

#include "drywarp/half/tiny_floats.h"

#if defined(__cplusplus)
typedef __nv_fp8_storage_t __nv_fp4_storage_t;
typedef __nv_fp8_storage_t __nv_fp4x2_storage_t;
typedef __nv_fp8x2_storage_t __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

DRYWARP_TINY_FUNCTIONS(4, __nv_fp4_interpretation_t, 2, 1, 4)
DRYWARP_TINY_TYPES(4, e2m1, __NV_E2M1, 4)
#endif

#endif
