// The runtime API in device code. The engine provides cudaGraphSetConditional. Launches from device code are only
// declared, so that libraries compile that never call them. The launch of a kernel that calls one fails with an error
// that names the function.
#ifndef DRYWARP_API_DEVICE_RUNTIME_H
#define DRYWARP_API_DEVICE_RUNTIME_H

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void* cudaGetParameterBufferV2(void* func, dim3 gridDim, dim3 blockDim, unsigned int sharedMem);
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameters, dim3 gridDim, dim3 blockDim,
                                        unsigned int sharedMem, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void* parameters, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance();
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
}

// Programmatic dependent launch. Launches never overlap: each begins after the previous one has ended.
__device__ inline void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

#endif
