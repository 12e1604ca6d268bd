// Libraries: images loaded at run time, by the runtime API or the driver API.
#include <algorithm>
#include <cstring>

#include "cuda/c_abi/driver.h"
#include "cuda/c_abi/images.h"
#include "drywarp/api/library.h"

using namespace drywarp::cudart;
using drywarp::cuda::Image;
using drywarp::cuda::Kernel;

namespace {

Error give_library(Error error, Image* made, cudaLibrary_t* out) {
  if (error == Error::Success) *out = reinterpret_cast<cudaLibrary_t>(made);
  return error;
}

cudaFunction_t function(CUkernel kernel) { return reinterpret_cast<cudaFunction_t>(kernel); }

}  // namespace

extern "C" {

// Every image is copied, so cudaLibraryBinaryIsPreserved has no effect.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* out, const void* code, enum cudaJitOption* names, void** values,
                                unsigned count, enum cudaLibraryOption*, void**, unsigned) {
  DW_CALL({
    Image* made = nullptr;
    if (!out) return Error::InvalidValue;
    const JitOptions options(count, reinterpret_cast<const int*>(names), values);
    return give_library(load_image(session, code, options, made), made, out);
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* out, const char* path, enum cudaJitOption* names, void** values,
                                    unsigned count, enum cudaLibraryOption*, void**, unsigned) {
  DW_CALL({
    Image* made = nullptr;
    if (!out) return Error::InvalidValue;
    const JitOptions options(count, reinterpret_cast<const int*>(names), values);
    return give_library(load_image_file(session, path, options, made), made, out);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  DW_CALL({ return session.unload_image(image(library)); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* out, cudaLibrary_t library, const char* name) {
  DW_CALL({
    Kernel* kernel = nullptr;
    if (!out) return Error::InvalidValue;
    DW_TRY(kernel_of(session, library, name, kernel));
    *out = reinterpret_cast<cudaKernel_t>(kernel);
    return Error::Success;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  DW_CALL({
    std::vector<Kernel*> kernels;
    if (!count) return Error::InvalidValue;
    DW_TRY(kernels_of(session, library, kernels));
    *count = unsigned(kernels.size());
    return Error::Success;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* out, unsigned capacity, cudaLibrary_t library) {
  DW_CALL({
    std::vector<Kernel*> kernels;
    if (!out && capacity) return Error::InvalidValue;
    DW_TRY(kernels_of(session, library, kernels));
    for (size_t i = 0; i < std::min<size_t>(capacity, kernels.size()); ++i)
      out[i] = reinterpret_cast<cudaKernel_t>(kernels[i]);
    return Error::Success;
  });
}

cudaError_t cudaLibraryGetGlobal(void** out, size_t* bytes, cudaLibrary_t library, const char* name) {
  DW_CALL({
    uint64_t where = 0, size = 0;
    DW_TRY(global_of(session, library, name, where, size));
    if (out) *out = pointer(where);
    if (bytes) *bytes = size;
    return Error::Success;
  });
}

// In PTX, a __managed__ variable is an ordinary variable.
cudaError_t cudaLibraryGetManaged(void** out, size_t* bytes, cudaLibrary_t library, const char* name) {
  return cudaLibraryGetGlobal(out, bytes, library, name);
}

cudaError_t cudaLibraryGetUnifiedFunction(void** out, cudaLibrary_t library, const char* symbol) {
  DW_CALL({
    if (!out || !symbol) return Error::InvalidValue;
    if (!session.modules().is_live(image(library))) return Error::InvalidResourceHandle;
    return Error::SymbolNotFound;  // unified functions (host and device): the device has none
  });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute, int value,
                                            int device) {
  if (device == 0) return cudaFuncSetAttribute(kernel, attribute, value);
  DW_CALL({ return Error::InvalidDevice; });
}

CUresult cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option* names, void** values, unsigned count,
                           CUlibraryOption*, void**, unsigned) {
  DW_AS(cudaLibraryLoadData(out, code, reinterpret_cast<cudaJitOption*>(names), values, count, nullptr, nullptr, 0));
}
CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path, CUjit_option* names, void** values, unsigned count,
                               CUlibraryOption*, void**, unsigned) {
  DW_AS(
      cudaLibraryLoadFromFile(out, path, reinterpret_cast<cudaJitOption*>(names), values, count, nullptr, nullptr, 0));
}
CUresult cuLibraryUnload(CUlibrary library) { DW_AS(cudaLibraryUnload(library)); }
CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary library, const char* name) {
  DW_AS(cudaLibraryGetKernel(out, library, name));
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  DW_AS(cudaLibraryGetKernelCount(count, library));
}
CUresult cuLibraryEnumerateKernels(CUkernel* out, unsigned capacity, CUlibrary library) {
  DW_AS(cudaLibraryEnumerateKernels(out, capacity, library));
}
CUresult cuLibraryGetModule(CUmodule* out, CUlibrary library) {
  DW_DRIVER({
    if (!out) return Error::InvalidValue;
    if (!session.modules().is_live(image(library))) return Error::InvalidResourceHandle;
    *out = reinterpret_cast<CUmodule>(library);
    return Error::Success;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* out, size_t* bytes, CUlibrary library, const char* name) {
  void* where = nullptr;
  const CUresult error = driver_call([&] { return cudaLibraryGetGlobal(&where, bytes, library, name); });
  if (out && error == CUDA_SUCCESS) *out = address(where);
  return error;
}
CUresult cuLibraryGetManaged(CUdeviceptr* out, size_t* bytes, CUlibrary library, const char* name) {
  return cuLibraryGetGlobal(out, bytes, library, name);
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel kernel) { DW_AS(cudaGetFuncBySymbol(out, kernel)); }
CUresult cuKernelGetLibrary(CUlibrary* out, CUkernel which) {
  DW_DRIVER({
    const Kernel* kernel = session.modules().find_kernel(which);
    if (!out) return Error::InvalidValue;
    if (!kernel) return Error::InvalidResourceHandle;
    *out = reinterpret_cast<CUlibrary>(kernel->image);
    return Error::Success;
  });
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) { DW_AS(cudaFuncGetName(name, kernel)); }
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  DW_AS(cudaFuncGetParamInfo(kernel, index, offset, size));
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device) {
  return device == 0 ? cuFuncGetAttribute(value, attribute, function(kernel)) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  DW_AS(cudaKernelSetAttributeForDevice(kernel, static_cast<cudaFuncAttribute>(attribute), value, device));
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
  DW_AS(cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(config)));
}

}  // extern "C"
