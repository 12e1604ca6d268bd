// Driver API: errors, initialisation, the device, its one context.
#include <algorithm>
#include <cstring>

#include "cudart/driver.h"

using namespace drywarp::cudart;

namespace drywarp::cudart {
namespace {

struct Translation {
  cudaError_t runtime;
  CUresult driver;
};
// Codes of the runtime that the driver does not have.
constexpr Translation kTranslations[] = {
    {cudaErrorInvalidConfiguration, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidPitchValue, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidSymbol, CUDA_ERROR_NOT_FOUND},
    {cudaErrorInvalidDevicePointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidHostPointer, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidMemcpyDirection, CUDA_ERROR_INVALID_VALUE},
    {cudaErrorInvalidDeviceFunction, CUDA_ERROR_INVALID_HANDLE},
};

char context_storage;
thread_local std::vector<CUcontext> context_stack;

}  // namespace

CUresult result(cudaError_t error) {
  for (const Translation& t : kTranslations)
    if (t.runtime == error) return t.driver;
  return static_cast<CUresult>(error);
}

CUcontext only_context() { return reinterpret_cast<CUcontext>(&context_storage); }

}  // namespace drywarp::cudart

extern "C" {

CUresult cuInit(unsigned flags) {
  int count = 0;
  return flags ? CUDA_ERROR_INVALID_VALUE : result(cudaGetDeviceCount(&count));
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

// The runtime's name for the same number: the driver's own spelling differs, the meaning does not.
CUresult cuGetErrorName(CUresult error, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) { return result(cudaDriverGetVersion(version)); }
CUresult cuDeviceGetCount(int* count) { return result(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = ordinal;
  return result(cudaSetDevice(ordinal));
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties_v2(&properties, device);
  if (error == cudaSuccess) {
    const size_t size = std::min<size_t>(size_t(length) - 1, std::strlen(properties.name));
    std::memcpy(name, properties.name, size);
    name[size] = 0;
  }
  return result(error);
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties_v2(&properties, device);
  if (error == cudaSuccess) std::memcpy(uuid, &properties.uuid, sizeof *uuid);
  return result(error);
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  if (!bytes) return CUDA_ERROR_INVALID_VALUE;
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties_v2(&properties, device);
  if (error == cudaSuccess) *bytes = properties.totalGlobalMem;
  return result(error);
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return result(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const cudaError_t error = cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
  return result(error ? error : cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device));
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return result(cudaDeviceGetPCIBusId(id, length, device));
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return result(cudaDeviceCanAccessPeer(can, device, peer));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = only_context();
  return result(cudaSetDevice(device));
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return result(cudaSetDevice(device)); }
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return device == 0 ? result(cudaDeviceReset()) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return device == 0 ? result(cudaSetDeviceFlags(flags)) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
  *active = 1;
  return device == 0 ? result(cudaGetDeviceFlags(flags)) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuCtxCreate(CUcontext* context, unsigned, CUdevice device) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t error = cudaSetDevice(device)) return result(error);
  context_stack.push_back(*context = only_context());
  return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext context) {
  if (context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!context_stack.empty()) context_stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  context_stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (context_stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = context_stack.back();
  context_stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (!context_stack.empty()) context_stack.pop_back();
  if (context) context_stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = context_stack.empty() ? nullptr : context_stack.back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) { return result(cudaGetDevice(device)); }
CUresult cuCtxSynchronize() { return result(cudaDeviceSynchronize()); }
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return result(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value));
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return result(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return result(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)));
}
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) { return CUDA_ERROR_INVALID_DEVICE; }

}  // extern "C"
