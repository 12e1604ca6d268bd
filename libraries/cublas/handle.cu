// Handles, modes, names of statuses, and copies of vectors and matrices.
#include <cstring>
#include <new>

#include "handle.h"

using namespace drywarp::cublas;

namespace {

template <class T>
cublasStatus_t read(cublasHandle_t handle, T cublasContext::* member, T* out) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(out);
  *out = handle->*member;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::* member, T value) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->*member = value;
  return CUBLAS_STATUS_SUCCESS;
}

// Elements `stride` apart are rows of one element.
cublasStatus_t copy_vector(int64_t n, int64_t size, const void* from, int64_t incx, void* to, int64_t incy,
                           cudaMemcpyKind kind, const cudaStream_t* stream) {
  CUBLAS_NEEDS(n >= 0 && size > 0 && incx > 0 && incy > 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  const cudaError_t error =
      stream ? cudaMemcpy2DAsync(to, size_t(incy * size), from, size_t(incx * size), size_t(size), size_t(n), kind,
                                 *stream)
             : cudaMemcpy2D(to, size_t(incy * size), from, size_t(incx * size), size_t(size), size_t(n), kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}
cublasStatus_t copy_matrix(int64_t rows, int64_t cols, int64_t size, const void* a, int64_t lda, void* b, int64_t ldb,
                           cudaMemcpyKind kind, const cudaStream_t* stream) {
  CUBLAS_NEEDS(rows >= 0 && cols >= 0 && size > 0 && lda > 0 && ldb > 0);
  if (rows == 0 || cols == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(lda >= rows && ldb >= rows);
  const cudaError_t error =
      stream ? cudaMemcpy2DAsync(b, size_t(ldb * size), a, size_t(lda * size), size_t(rows * size), size_t(cols), kind,
                                 *stream)
             : cudaMemcpy2D(b, size_t(ldb * size), a, size_t(lda * size), size_t(rows * size), size_t(cols), kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace

extern "C" {

const char* cublasGetStatusName(cublasStatus_t status) { return name_of(status); }
const char* cublasGetStatusString(cublasStatus_t status) { return text_of(status); }

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  CUBLAS_NEEDS(handle);
  auto* made = new (std::nothrow) cublasContext;
  if (!made) return CUBLAS_STATUS_ALLOC_FAILED;
  if (const cudaError_t error = cudaMalloc(&made->partials, kPartials)) {
    delete made;
    return error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_NOT_INITIALIZED;
  }
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cudaError_t error = cudaFree(handle->partials);
  delete handle;
  return status_of(error);
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(version);
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  constexpr int kValues[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
  CUBLAS_NEEDS(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
  *value = kValues[type];
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void*, size_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t stream) {
  return set(h, &cublasContext::stream, stream);
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t h, cudaStream_t* stream) {
  return read(h, &cublasContext::stream, stream);
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t mode) {
  return mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE ? set(h, &cublasContext::pointers, mode)
                                                                                : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t h, cublasPointerMode_t* mode) {
  return read(h, &cublasContext::pointers, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t mode) {
  return set(h, &cublasContext::atomics, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t h, cublasAtomicsMode_t* mode) {
  return read(h, &cublasContext::atomics, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t h, cublasMath_t mode) { return set(h, &cublasContext::math, mode); }
cublasStatus_t cublasGetMathMode(cublasHandle_t h, cublasMath_t* mode) { return read(h, &cublasContext::math, mode); }
#define SETTING(Name, T, member)                                                                                  \
  cublasStatus_t cublasSet##Name(cublasHandle_t h, T value) { return set(h, &cublasContext::member, value); }      \
  cublasStatus_t cublasGet##Name(cublasHandle_t h, T* value) { return read(h, &cublasContext::member, value); }
SETTING(EmulationStrategy, cublasEmulationStrategy_t, emulation)
SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport, special_values)
SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl, mantissa)
SETTING(FixedPointEmulationMaxMantissaBitCount, int, most_mantissa_bits)
SETTING(FixedPointEmulationMantissaBitOffset, int, mantissa_offset)
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t h, int count) { return set(h, &cublasContext::sm_target, count); }
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t h, int* count) {
  return read(h, &cublasContext::sm_target, count);
}

// Nothing is logged.
cublasStatus_t cublasLoggerConfigure(int, int, int, const char*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* callback) {
  CUBLAS_NEEDS(callback);
  *callback = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}

#define COPIES(Form, Int)                                                                                           \
  cublasStatus_t cublasSetVector##Form(Int n, Int size, const void* x, Int incx, void* y, Int incy) {               \
    return copy_vector(n, size, x, incx, y, incy, cudaMemcpyHostToDevice, nullptr);                                 \
  }                                                                                                                 \
  cublasStatus_t cublasGetVector##Form(Int n, Int size, const void* x, Int incx, void* y, Int incy) {               \
    return copy_vector(n, size, x, incx, y, incy, cudaMemcpyDeviceToHost, nullptr);                                 \
  }                                                                                                                 \
  cublasStatus_t cublasSetVectorAsync##Form(Int n, Int size, const void* x, Int incx, void* y, Int incy,            \
                                            cudaStream_t stream) {                                                  \
    return copy_vector(n, size, x, incx, y, incy, cudaMemcpyHostToDevice, &stream);                                 \
  }                                                                                                                 \
  cublasStatus_t cublasGetVectorAsync##Form(Int n, Int size, const void* x, Int incx, void* y, Int incy,            \
                                            cudaStream_t stream) {                                                  \
    return copy_vector(n, size, x, incx, y, incy, cudaMemcpyDeviceToHost, &stream);                                 \
  }                                                                                                                 \
  cublasStatus_t cublasSetMatrix##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb) {    \
    return copy_matrix(rows, cols, size, a, lda, b, ldb, cudaMemcpyHostToDevice, nullptr);                          \
  }                                                                                                                 \
  cublasStatus_t cublasGetMatrix##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb) {    \
    return copy_matrix(rows, cols, size, a, lda, b, ldb, cudaMemcpyDeviceToHost, nullptr);                          \
  }                                                                                                                 \
  cublasStatus_t cublasSetMatrixAsync##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream) {                                                  \
    return copy_matrix(rows, cols, size, a, lda, b, ldb, cudaMemcpyHostToDevice, &stream);                          \
  }                                                                                                                 \
  cublasStatus_t cublasGetMatrixAsync##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream) {                                                  \
    return copy_matrix(rows, cols, size, a, lda, b, ldb, cudaMemcpyDeviceToHost, &stream);                          \
  }
COPIES(, int)
COPIES(_64, int64_t)

}  // extern "C"
