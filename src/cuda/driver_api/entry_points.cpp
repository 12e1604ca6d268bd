// Look-up of driver functions by name; they are in this library.
#include <dlfcn.h>

#include <algorithm>
#include <iterator>

#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {
namespace {

// Functions whose newer versions have another signature, newest first. All other _v2 functions are older than
// cuGetProcAddress.
struct Version {
  const char* name;
  int since;  // CUDA version: 12050 for 12.5
  const char* symbol;
};
constexpr Version kVersions[] = {
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemAdvise", 0, "cuMemAdvise"},
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
    {"cuGraphExecUpdate", 0, "cuGraphExecUpdate"},
    {"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
    {"cuGraphAddKernelNode", 0, "cuGraphAddKernelNode"},
    {"cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"},
    {"cuGraphKernelNodeGetParams", 0, "cuGraphKernelNodeGetParams"},
    {"cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"},
    {"cuGraphKernelNodeSetParams", 0, "cuGraphKernelNodeSetParams"},
    {"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
    {"cuGraphExecKernelNodeSetParams", 0, "cuGraphExecKernelNodeSetParams"},
    {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
    {"cuGraphAddNode", 0, "cuGraphAddNode"},
    {"cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"},
    {"cuGraphGetEdges", 0, "cuGraphGetEdges"},
    {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"},
    {"cuGraphNodeGetDependencies", 0, "cuGraphNodeGetDependencies"},
    {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"},
    {"cuGraphNodeGetDependentNodes", 0, "cuGraphNodeGetDependentNodes"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
    {"cuGraphAddDependencies", 0, "cuGraphAddDependencies"},
    {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"},
    {"cuGraphRemoveDependencies", 0, "cuGraphRemoveDependencies"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo"},
    {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"},
    {"cuStreamUpdateCaptureDependencies", 0, "cuStreamUpdateCaptureDependencies"},
    {"cuStreamGetCtx", 12050, "cuStreamGetCtx_v2"},
    {"cuStreamGetCtx", 0, "cuStreamGetCtx"},
    {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
    {"cuMemcpyBatchAsync", 0, "cuMemcpyBatchAsync"},
    {"cuMemcpy3DBatchAsync", 13000, "cuMemcpy3DBatchAsync_v2"},
    {"cuMemcpy3DBatchAsync", 0, "cuMemcpy3DBatchAsync"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice_v2"},
    {"cuCtxGetDevice", 0, "cuCtxGetDevice"},
    {"cuCtxSynchronize", 13000, "cuCtxSynchronize_v2"},
    {"cuCtxSynchronize", 0, "cuCtxSynchronize"},
};

void* symbol(const std::string& name) {
  // Search only this library: a program may define functions of that name.
  static void* const self = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&find_entry), &info);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return self ? dlsym(self, name.c_str()) : nullptr;
}

}  // namespace

void* find_entry(const char* name, int cuda_version, bool per_thread) {
  const std::string wanted = name;
  if (!wanted.starts_with("cu") || wanted.starts_with("cuda")) return nullptr;
  const auto* found =
      std::ranges::find_if(kVersions, [&](const Version& v) { return v.name == wanted && v.since <= cuda_version; });
  const std::string newest = found != std::end(kVersions) ? found->symbol : wanted + "_v2";
  for (const std::string& candidate : {newest, wanted}) {
    if (per_thread)
      for (const char* suffix : {"_ptsz", "_ptds"})
        if (void* entry = symbol(candidate + suffix)) return entry;
    if (void* entry = symbol(candidate)) return entry;
  }
  return nullptr;
}

namespace {

constexpr int kNewest = 13000;
constexpr unsigned long long kPerThread = cudaEnablePerThreadDefaultStream;

Error entry_point(const char* name, void** function, int cuda_version, unsigned long long flags,
                  cudaDriverEntryPointQueryResult* status) {
  if (!name || !function) return Error::InvalidValue;
  *function = find_entry(name, cuda_version, (flags & kPerThread) || null_is_per_thread);
  if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *function || status ? Error::Success : Error::SymbolNotFound;
}

}  // namespace
}  // namespace drywarp::cudart

using namespace drywarp::cudart;

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult* status) {
  DW_QUERY({ return entry_point(name, function, int(version), flags, status); });
}

// CUDA 11 has no status parameter.
cudaError_t drywarp_entry_point_12(const char* name, void** function, unsigned long long flags,
                                   enum cudaDriverEntryPointQueryResult* status) {
  DW_QUERY({ return entry_point(name, function, kNewest, flags, status); });
}
cudaError_t drywarp_entry_point_11(const char* name, void** function, unsigned long long flags) {
  DW_QUERY({ return entry_point(name, function, 11080, flags, nullptr); });
}
DW_VERSIONS(cudaGetDriverEntryPoint, drywarp_entry_point_12, drywarp_entry_point_12, drywarp_entry_point_11);

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  if (!name || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = find_entry(name, version, flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);
  if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

// There are no tables of NVIDIA's internal functions.
cudaError_t cudaGetExportTable(const void**, const cudaUUID_t*) {
  DW_QUERY({ return Error::NotSupported; });
}
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  return table ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
