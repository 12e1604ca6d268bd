// The runtime API in device code, for dynamic parallelism. The launch of a kernel that calls a function that the engine
// does not provide fails with an error that names the function.
#ifndef DRYWARP_API_DEVICE_RUNTIME_H
#define DRYWARP_API_DEVICE_RUNTIME_H

#include "driver_types.h"
#include "drywarp/api/device_launch.h"

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#if defined(__CUDA__) && defined(__cplusplus)
#include "drywarp/device/system_calls.h"

extern "C" {
__device__ void* cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ void* cudaGetParameterBufferV2(void* func, dim3 gridDim, dim3 blockDim, unsigned int sharedMem);
__device__ cudaError_t cudaLaunchDevice(void* func, void* parameters, dim3 gridDim, dim3 blockDim,
                                        unsigned int sharedMem, cudaStream_t stream);
__device__ cudaError_t cudaLaunchDeviceV2(void* parameters, cudaStream_t stream);
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance();
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

__device__ cudaError_t __cudaCDP2MemcpyAsync(void* to, const void* from, size_t count, enum cudaMemcpyKind kind,
                                             cudaStream_t stream);
__device__ cudaError_t __cudaCDP2MemsetAsync(void* to, int value, size_t count, cudaStream_t stream);
}

// Overloads of the host's functions. What a grid launches runs when the grid has ended, one after the other. So streams
// and events are never waited for, and no error comes later than its call.
__device__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
__device__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
// Of the errors that the functions of this file return.
__device__ inline const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaSuccess                 ? "cudaSuccess"
         : error == cudaErrorInvalidValue     ? "cudaErrorInvalidValue"
         : error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation"
                                              : "unrecognized error code";
}
__device__ inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess                 ? "no error"
         : error == cudaErrorInvalidValue     ? "invalid argument"
         : error == cudaErrorMemoryAllocation ? "out of memory"
                                              : "unrecognized error code";
}
__device__ inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
__device__ inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
__device__ inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int) {
  *stream = (cudaStream_t)0x1000;  // none of CUDA's own
  return cudaSuccess;
}
__device__ inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
__device__ inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0) { return cudaSuccess; }
__device__ inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int) {
  *event = (cudaEvent_t)0x1000;
  return cudaSuccess;
}
__device__ inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return cudaSuccess; }
__device__ inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
__device__ inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t count, enum cudaMemcpyKind kind,
                                              cudaStream_t stream = 0) {
  return __cudaCDP2MemcpyAsync(to, from, count, kind, stream);
}
__device__ inline cudaError_t cudaMemsetAsync(void* to, int value, size_t count, cudaStream_t stream = 0) {
  return __cudaCDP2MemsetAsync(to, value, count, stream);
}
__device__ inline cudaError_t cudaMalloc(void** pointer, size_t size) {
  void* const made = malloc(size);
  if (!made) return cudaErrorMemoryAllocation;
  *pointer = made;
  return cudaSuccess;
}
__device__ inline cudaError_t cudaFree(void* pointer) {
  free(pointer);
  return cudaSuccess;
}

// Programmatic dependent launch. Launches never overlap: each begins after the previous one has ended.
__device__ inline void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif

#endif
