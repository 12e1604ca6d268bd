// Driver API: contexts. There is only one; each thread has its own context stack.
#include "cuda/c_abi/driver.h"
#include "cudaProfiler.h"

using namespace drywarp::cudart;

namespace drywarp::cudart {
namespace {

char context_storage;
thread_local std::vector<CUcontext> stack;

constexpr unsigned kApiVersion = 3020;  // as every driver since CUDA 3.2

// The runtime makes the primary context current in every thread that uses it.
CUcontext current() {
  if (!stack.empty()) return stack.back();
  return runtime().is_up() ? only_context() : nullptr;
}

}  // namespace

CUcontext only_context() { return reinterpret_cast<CUcontext>(&context_storage); }

}  // namespace drywarp::cudart

extern "C" {

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
  if (!context || (flags & ~unsigned(CU_CTX_FLAGS_MASK))) return CUDA_ERROR_INVALID_VALUE;
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  if (parameters && parameters->numExecAffinityParams > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (parameters && parameters->cigParams) return CUDA_ERROR_NOT_SUPPORTED;
  stack.push_back(*context = only_context());
  return CUDA_SUCCESS;
}
CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinity, int count, unsigned flags, CUdevice device) {
  CUctxCreateParams parameters{affinity, count, nullptr};
  return cuCtxCreate_v4(context, &parameters, flags, device);
}
CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
CUresult cuCtxDestroy(CUcontext context) {
  if (context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!stack.empty()) stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
  if (!context || flags) return CUDA_ERROR_INVALID_VALUE;
  *context = current();
  return *context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxDetach(CUcontext context) {
  return context == only_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  if (context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (context && context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  *context = current();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  if (context && context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *version = kApiVersion;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  if (context && context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *id = 1;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetFlags(unsigned* flags) { DW_AS(cudaGetDeviceFlags(flags)); }
CUresult cuCtxSetFlags(unsigned flags) { DW_AS(cudaSetDeviceFlags(flags)); }
CUresult cuCtxSynchronize() { DW_AS(cudaDeviceSynchronize()); }
// CUDA 13 adds the context parameter.
CUresult cuCtxSynchronize_v2(CUcontext context) {
  if (context && context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  return cuCtxSynchronize();
}
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  if (!context) return cuCtxGetDevice(device);
  if (context != only_context()) return CUDA_ERROR_INVALID_CONTEXT;
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { DW_AS(cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value)); }
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  DW_AS(cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)));
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  DW_AS(cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)));
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  DW_AS(cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)));
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  DW_AS(cudaDeviceGetSharedMemConfig(reinterpret_cast<cudaSharedMemConfig*>(config)));
}
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  DW_AS(cudaDeviceSetSharedMemConfig(static_cast<cudaSharedMemConfig>(config)));
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  DW_AS(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache() { DW_AS(cudaCtxResetPersistingL2Cache()); }
CUresult cuProfilerStart() { DW_AS(cudaProfilerStart()); }
CUresult cuProfilerStop() { DW_AS(cudaProfilerStop()); }
CUresult cuCtxEnablePeerAccess(CUcontext, unsigned flags) {
  return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;  // a context is not its own peer
}
CUresult cuCtxDisablePeerAccess(CUcontext context) {
  return context == only_context() ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT;
}

}  // extern "C"
