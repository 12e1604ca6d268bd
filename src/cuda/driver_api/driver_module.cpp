// Driver API: modules.
#include <algorithm>

#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/images.h"

using namespace drywarp::cudart;
using drywarp::cuda::Image;
using drywarp::cuda::Kernel;

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* out, const void* data, unsigned count, CUjit_option* names, void** values) {
  DW_DRIVER({
    if (!out) return Error::InvalidValue;
    Image* made = nullptr;
    DW_TRY(load_image(session, data, {count, reinterpret_cast<const int*>(names), values}, made));
    *out = reinterpret_cast<CUmodule>(made);
    return Error::Success;
  });
}
CUresult cuModuleLoadData(CUmodule* out, const void* data) {
  return cuModuleLoadDataEx(out, data, 0, nullptr, nullptr);
}
CUresult cuModuleLoadFatBinary(CUmodule* out, const void* data) { return cuModuleLoadData(out, data); }

CUresult cuModuleLoad(CUmodule* out, const char* path) {
  DW_DRIVER({
    if (!out) return Error::InvalidValue;
    Image* made = nullptr;
    DW_TRY(load_image_file(session, path, {0, nullptr, nullptr}, made));
    *out = reinterpret_cast<CUmodule>(made);
    return Error::Success;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  DW_DRIVER({ return session.unload_image(image(module)); });
}

// Code is compiled when a kernel is first launched.
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (!mode) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  DW_DRIVER({
    Kernel* kernel = nullptr;
    if (!out) return Error::InvalidValue;
    DW_TRY(kernel_of(session, module, name, kernel));
    *out = reinterpret_cast<CUfunction>(kernel);
    return Error::Success;
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
  DW_DRIVER({
    std::vector<Kernel*> kernels;
    if (!count) return Error::InvalidValue;
    DW_TRY(kernels_of(session, module, kernels));
    *count = unsigned(kernels.size());
    return Error::Success;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* out, unsigned capacity, CUmodule module) {
  DW_DRIVER({
    std::vector<Kernel*> kernels;
    if (!out && capacity) return Error::InvalidValue;
    DW_TRY(kernels_of(session, module, kernels));
    for (size_t i = 0; i < std::min<size_t>(capacity, kernels.size()); ++i)
      out[i] = reinterpret_cast<CUfunction>(kernels[i]);
    return Error::Success;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module, const char* name) {
  DW_DRIVER({
    uint64_t where = 0, size = 0;
    DW_TRY(global_of(session, module, name, where, size));
    if (address) *address = where;
    if (bytes) *bytes = size;
    return Error::Success;
  });
}

// Texture and surface references are not simulated; the look-up fails, so that the program learns it early.
CUresult cuModuleGetTexRef(CUtexref* reference, CUmodule, const char* name) {
  return reference && name ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuModuleGetSurfRef(CUsurfref* reference, CUmodule, const char* name) {
  return reference && name ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
