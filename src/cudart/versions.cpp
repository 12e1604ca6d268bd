// Functions whose ABI is not the same in CUDA 11, 12 and 13: one implementation each, bound to the symbol version that
// a program was linked with. A program built with drywarp's own headers gets the newest.
#include <cstring>

#include "cudart/device_properties.h"
#include "cudart/launch_shape.h"
#include "cudart/memory_facts.h"
#include "cudart/symbol_versions.h"

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
DW_NEWEST(drywarp_runtime_version_13, cudaRuntimeGetVersion);
DW_CUDA_12(drywarp_runtime_version_12, cudaRuntimeGetVersion);
DW_CUDA_11(drywarp_runtime_version_11, cudaRuntimeGetVersion);

cudaError_t drywarp_properties_13(Properties13* out, int device) {
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}
cudaError_t drywarp_properties_11(Properties11* out, int device) {
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}
DW_NEWEST(drywarp_properties_13, cudaGetDeviceProperties);
// CUDA 12's header calls cudaGetDeviceProperties_v2; its unversioned name kept CUDA 11's layout.
DW_CUDA_12(drywarp_properties_11, cudaGetDeviceProperties);
DW_CUDA_11(drywarp_properties_11, cudaGetDeviceProperties);

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* out, int device) {
  DW_DESCRIBE({ return fill_properties(session, out, device); });
}

cudaError_t drywarp_function_attributes_12(cudaFuncAttributes* out, const void* function) {
  DW_CALL({ return function_attributes(session, out, function, sizeof(cudaFuncAttributes)); });
}
cudaError_t drywarp_function_attributes_11(cudaFuncAttributes* out, const void* function) {
  DW_CALL({ return function_attributes(session, out, function, offsetof(cudaFuncAttributes, clusterDimMustBeSet)); });
}
DW_NEWEST(drywarp_function_attributes_12, cudaFuncGetAttributes);
DW_CUDA_12(drywarp_function_attributes_12, cudaFuncGetAttributes);
DW_CUDA_11(drywarp_function_attributes_11, cudaFuncGetAttributes);

// CUDA 13 appended reserved words.
cudaError_t drywarp_pointer_attributes_13(cudaPointerAttributes* out, const void* what) {
  DW_CALL({ return pointer_attributes(session, out, what, sizeof(cudaPointerAttributes)); });
}
cudaError_t drywarp_pointer_attributes_12(cudaPointerAttributes* out, const void* what) {
  DW_CALL({ return pointer_attributes(session, out, what, offsetof(cudaPointerAttributes, reserved)); });
}
DW_NEWEST(drywarp_pointer_attributes_13, cudaPointerGetAttributes);
DW_CUDA_12(drywarp_pointer_attributes_12, cudaPointerGetAttributes);
DW_CUDA_11(drywarp_pointer_attributes_12, cudaPointerGetAttributes);

// The place was a device's number before CUDA 13, and there were no flags.
cudaError_t drywarp_prefetch_13(const void* what, size_t count, cudaMemLocation, unsigned, cudaStream_t of) {
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
DW_NEWEST(drywarp_prefetch_13, cudaMemPrefetchAsync);
DW_CUDA_12(drywarp_prefetch_12, cudaMemPrefetchAsync);
DW_CUDA_11(drywarp_prefetch_12, cudaMemPrefetchAsync);

}  // extern "C"
