// The device library, in order of dependency. Only for CUDA compilations by clang: clang's wrapper headers provide the
// standard library's functions on the device; ours provide the rest.
#ifndef DRYWARP_DEVICE_LIBRARY_H
#define DRYWARP_DEVICE_LIBRARY_H
#pragma GCC system_header

// clang's device functions get no debug information either: see specifiers.h.
#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, nodebug))
#pragma push_macro("device")
#define device device, nodebug
#include <__clang_cuda_builtin_vars.h>
#pragma pop_macro("device")
#include <__clang_cuda_libdevice_declares.h>

#include "drywarp/device/arithmetic.h"
#include "drywarp/device/atomics.h"
#include "drywarp/device/bits.h"
#include "drywarp/device/flushed_functions.h"
#include "drywarp/device/libdevice_basic.h"
#include "drywarp/device/libdevice_decompose.h"
#include "drywarp/device/libdevice_exponential.h"
#include "drywarp/device/libdevice_trigonometric.h"
#include "drywarp/device/synchronization.h"
#include "drywarp/device/system_calls.h"

// The wrappers need CUDA_VERSION. The program must not see it unless it includes cuda.h.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 10000
// clang-format off: <cmath>'s overloads call the functions that math.h defines
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
// clang-format on
// clang's shuffles without .sync do not compile for Volta and later; legacy_shuffles.h replaces them.
#define __shfl __drywarp_unused_shfl
#define __shfl_up __drywarp_unused_shfl_up
#define __shfl_down __drywarp_unused_shfl_down
#define __shfl_xor __drywarp_unused_shfl_xor
#include <__clang_cuda_intrinsics.h>
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#include <__clang_cuda_complex_builtins.h>
#pragma pop_macro("__device__")
#pragma pop_macro("CUDA_VERSION")

#include "drywarp/device/cache.h"
#include "drywarp/device/legacy_shuffles.h"
#include "drywarp/device/math_overloads.h"
#include "drywarp/device/minmax.h"
#include "drywarp/device/scoped_atomics.h"
#include "drywarp/device/simd.h"
#include "drywarp/device/surfaces.h"
#include "drywarp/device/texture_references.h"
#include "drywarp/device/textures.h"

// The builtin variables have their own types; these conversions make them usable as uint3 and dim3.
#define DRYWARP_BUILTIN_VARIABLE(type)                                    \
  __device__ inline type::operator dim3() const { return dim3(x, y, z); } \
  __device__ inline type::operator uint3() const { return uint3{x, y, z}; }
DRYWARP_BUILTIN_VARIABLE(__cuda_builtin_threadIdx_t)
DRYWARP_BUILTIN_VARIABLE(__cuda_builtin_blockIdx_t)
DRYWARP_BUILTIN_VARIABLE(__cuda_builtin_blockDim_t)
DRYWARP_BUILTIN_VARIABLE(__cuda_builtin_gridDim_t)
#undef DRYWARP_BUILTIN_VARIABLE

#endif
