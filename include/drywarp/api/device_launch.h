// Dynamic parallelism. clang knows no launches in device code. Sources that have some are compiled for the device with
// DRYWARP_KERNELS_LAUNCH, the unit's id: kernels are then functions that device code may call, and the compiler driver
// writes `(__drywarp_configure_launch(grid, block), kernel(arguments), __drywarp_launched())` for each launch. A pass
// over LLVM's IR makes calls of the device runtime of that.
#ifndef DRYWARP_API_DEVICE_LAUNCH_H
#define DRYWARP_API_DEVICE_LAUNCH_H

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus) && defined(DRYWARP_KERNELS_LAUNCH)
extern "C" __host__ __device__ void __drywarp_configure_launch(dim3 grid, dim3 block, size_t shared = 0,
                                                               cudaStream_t stream = 0);
extern "C" __host__ __device__ void __drywarp_launched();
static __device__ __attribute__((used)) const char __drywarp_source[] __asm__("__drywarp_source") = DRYWARP_KERNELS_LAUNCH;
#endif

#endif
