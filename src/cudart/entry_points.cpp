// Looking functions up by name: the driver API's entry points live in this same library.
#include <dlfcn.h>

#include "cudart/driver.h"
#include "cudart/symbol_versions.h"

using namespace drywarp::cudart;

namespace {

// The newest version of a driver function that this library has.
void* find_entry(const char* symbol) {
  const std::string name = symbol;
  if (!name.starts_with("cu") || name.starts_with("cuda")) return nullptr;
  if (void* newest = dlsym(RTLD_DEFAULT, (name + "_v2").c_str())) return newest;
  return dlsym(RTLD_DEFAULT, name.c_str());
}

Error entry_point(const char* symbol, void** function, cudaDriverEntryPointQueryResult* status) {
  if (!symbol || !function) return Error::InvalidValue;
  *function = find_entry(symbol);
  if (status) *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return *function || status ? Error::Success : Error::SymbolNotFound;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             enum cudaDriverEntryPointQueryResult* status) {
  DW_QUERY({ return entry_point(symbol, function, status); });
}

// CUDA 11 gives no place for a status.
cudaError_t drywarp_entry_point_12(const char* symbol, void** function, unsigned long long,
                                   enum cudaDriverEntryPointQueryResult* status) {
  DW_QUERY({ return entry_point(symbol, function, status); });
}
cudaError_t drywarp_entry_point_11(const char* symbol, void** function, unsigned long long) {
  DW_QUERY({ return entry_point(symbol, function, nullptr); });
}
DW_NEWEST(drywarp_entry_point_12, cudaGetDriverEntryPoint);
DW_CUDA_12(drywarp_entry_point_12, cudaGetDriverEntryPoint);
DW_CUDA_11(drywarp_entry_point_11, cudaGetDriverEntryPoint);

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, uint64_t, int* status) {
  if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
  *function = find_entry(symbol);
  if (status) *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// Tables of NVIDIA's internal functions: there are none.
cudaError_t cudaGetExportTable(const void**, const cudaUUID_t*) {
  DW_QUERY({ return Error::NotSupported; });
}

}  // extern "C"
