// Functions whose ABI differs between CUDA 11, 12 and 13: one implementation for each symbol version. A program built
// with drywarp's headers gets the newest.
#include <cstring>

#include "cuda/c_abi/launch_configuration.h"
#include "cuda/c_abi/runtime.h"
#include "cuda/runtime_api/device_properties.h"
#include "cuda/runtime_api/memory/memory_facts.h"

using namespace drywarp::cudart;

extern "C" {

cudaError_t drywarp_runtime_version_13(int* version) {
  DW_QUERY({ return version ? (*version = 13000, Error::Success) : Error::InvalidValue; });
}
cudaError_t drywarp_runtime_version_12(int* version) {
  DW_QUERY({ return version ? (*version = 12080, Error::Success) : Error::InvalidValue; });
}
cudaError_t drywarp_runtime_version_11(int* version) {
  DW_QUERY({ return version ? (*version = 11080, Error::Success) : Error::InvalidValue; });
}
DW_VERSIONS(cudaRuntimeGetVersion, drywarp_runtime_version_13, drywarp_runtime_version_12, drywarp_runtime_version_11);

cudaError_t drywarp_properties_13(Properties13* out, int device) {
  DW_NAMED(cudaGetDeviceProperties);
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}
cudaError_t drywarp_properties_11(Properties11* out, int device) {
  DW_NAMED(cudaGetDeviceProperties);
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}
// CUDA 12's header calls cudaGetDeviceProperties_v2; its unversioned name kept CUDA 11's layout.
DW_VERSIONS(cudaGetDeviceProperties, drywarp_properties_13, drywarp_properties_11, drywarp_properties_11);

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* out, int device) {
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}

cudaError_t drywarp_function_attributes_12(cudaFuncAttributes* out, const void* function) {
  DW_NAMED(cudaFuncGetAttributes);
  DW_CALL({ return function_attributes(session, out, function, sizeof(cudaFuncAttributes)); });
}
cudaError_t drywarp_function_attributes_11(cudaFuncAttributes* out, const void* function) {
  DW_NAMED(cudaFuncGetAttributes);
  DW_CALL({ return function_attributes(session, out, function, offsetof(cudaFuncAttributes, clusterDimMustBeSet)); });
}
DW_VERSIONS(cudaFuncGetAttributes, drywarp_function_attributes_12, drywarp_function_attributes_12,
            drywarp_function_attributes_11);

// CUDA 13 appended reserved words.
cudaError_t drywarp_pointer_attributes_13(cudaPointerAttributes* out, const void* what) {
  DW_NAMED(cudaPointerGetAttributes);
  DW_CALL({ return pointer_attributes(session, out, what, sizeof(cudaPointerAttributes)); });
}
cudaError_t drywarp_pointer_attributes_12(cudaPointerAttributes* out, const void* what) {
  DW_NAMED(cudaPointerGetAttributes);
  DW_CALL({ return pointer_attributes(session, out, what, offsetof(cudaPointerAttributes, reserved)); });
}
DW_VERSIONS(cudaPointerGetAttributes, drywarp_pointer_attributes_13, drywarp_pointer_attributes_12,
            drywarp_pointer_attributes_12);

// Before CUDA 13, the location was a device's number, and there were no flags.
cudaError_t drywarp_prefetch_13(const void* what, size_t count, cudaMemLocation, unsigned, cudaStream_t of) {
  DW_NAMED(cudaMemPrefetchAsync);
  DW_CALL({
    DW_STREAM(stream, of);
    (void)stream;
    return managed_range(session, what, count);
  });
}
cudaError_t drywarp_prefetch_12(const void* what, size_t count, int, cudaStream_t stream) {
  return drywarp_prefetch_13(what, count, {}, 0, stream);
}
cudaError_t cudaMemPrefetchAsync_v2(const void* what, size_t count, cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream) {
  return drywarp_prefetch_13(what, count, location, flags, stream);
}
DW_VERSIONS(cudaMemPrefetchAsync, drywarp_prefetch_13, drywarp_prefetch_12, drywarp_prefetch_12);

}  // extern "C"
