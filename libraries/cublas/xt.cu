// cuBLASXt: cuBLAS's functions on matrices of the host. Each is copied whole to one device, and the result back.
#include <cublasXt.h>

#include <new>

#include "handle.h"

using namespace drywarp::cublas;

struct cublasXtContext {
  cublasHandle_t blas = nullptr;
  int device = 0, block = 2048;
  cublasXtPinnedMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

namespace {

// A matrix by columns, where the device can read it: where it lies, or a copy, which goes with this object.
template <class T>
class OnDevice {
 public:
  OnDevice(size_t rows, size_t columns, const T* host, size_t stride)
      : rows_(rows), columns_(columns), host_(host), stride_(stride) {}
  ~OnDevice() { cudaFree(copy_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  cublasStatus_t prepare() {
    cudaPointerAttributes at{};
    if (cudaPointerGetAttributes(&at, host_) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
    if (at.type == cudaMemoryTypeDevice || at.type == cudaMemoryTypeManaged || rows_ == 0 || columns_ == 0)
      return CUBLAS_STATUS_SUCCESS;
    if (cudaMalloc(&copy_, rows_ * columns_ * sizeof(T)) != cudaSuccess) return CUBLAS_STATUS_ALLOC_FAILED;
    return status_of(cudaMemcpy2D(copy_, rows_ * sizeof(T), host_, stride_ * sizeof(T), rows_ * sizeof(T), columns_,
                                  cudaMemcpyHostToDevice));
  }
  cublasStatus_t give_back() {
    if (!copy_) return status_of(cudaDeviceSynchronize());
    return status_of(cudaMemcpy2D(const_cast<T*>(host_), stride_ * sizeof(T), copy_, rows_ * sizeof(T),
                                  rows_ * sizeof(T), columns_, cudaMemcpyDeviceToHost));
  }
  [[nodiscard]] T* data() { return copy_ ? copy_ : const_cast<T*>(host_); }
  [[nodiscard]] int64_t stride() const { return int64_t(copy_ ? rows_ : stride_); }

 private:
  size_t rows_, columns_;
  const T* host_;
  size_t stride_;
  T* copy_ = nullptr;
};

// Runs on the handle's device, and leaves the caller's current.
template <class Run>
cublasStatus_t on_device(cublasXtHandle_t handle, Run run) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int before = 0;
  CUBLAS_TRY(status_of(cudaGetDevice(&before)));
  CUBLAS_TRY(status_of(cudaSetDevice(handle->device)));
  const cublasStatus_t status = run();
  CUBLAS_TRY(status_of(cudaSetDevice(before)));
  return status;
}

template <class T, class Gemm>
cublasStatus_t gemm(cublasXtHandle_t handle, Gemm multiply, cublasOperation_t transa, cublasOperation_t transb,
                    size_t m, size_t n, size_t k, const T* alpha, const T* a, size_t lda, const T* b, size_t ldb,
                    const T* beta, T* c, size_t ldc) {
  return on_device(handle, [&] {
    const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
    CUBLAS_NEEDS(lda >= (ta ? k : m) && ldb >= (tb ? n : k) && ldc >= m);
    OnDevice<T> da(ta ? k : m, ta ? m : k, a, lda), db(tb ? n : k, tb ? k : n, b, ldb), dc(m, n, c, ldc);
    CUBLAS_TRY(da.prepare());
    CUBLAS_TRY(db.prepare());
    CUBLAS_TRY(dc.prepare());
    CUBLAS_TRY(multiply(handle->blas, transa, transb, int64_t(m), int64_t(n), int64_t(k), alpha, da.data(), da.stride(),
                    db.data(), db.stride(), beta, dc.data(), dc.stride()));
    return dc.give_back();
  });
}

template <class T, class Syrk>
cublasStatus_t syrk(cublasXtHandle_t handle, Syrk multiply, cublasFillMode_t uplo, cublasOperation_t trans, size_t n,
                    size_t k, const T* alpha, const T* a, size_t lda, const T* beta, T* c, size_t ldc) {
  return on_device(handle, [&] {
    const bool t = trans != CUBLAS_OP_N;
    CUBLAS_NEEDS(lda >= (t ? k : n) && ldc >= n);
    OnDevice<T> da(t ? k : n, t ? n : k, a, lda), dc(n, n, c, ldc);
    CUBLAS_TRY(da.prepare());
    CUBLAS_TRY(dc.prepare());
    CUBLAS_TRY(multiply(handle->blas, uplo, trans, int64_t(n), int64_t(k), alpha, da.data(), da.stride(), beta, dc.data(),
                    dc.stride()));
    return dc.give_back();
  });
}

template <class T, class Trsm>
cublasStatus_t trsm(cublasXtHandle_t handle, Trsm solve, cublasSideMode_t side, cublasFillMode_t uplo,
                    cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const T* alpha, const T* a,
                    size_t lda, T* b, size_t ldb) {
  return on_device(handle, [&] {
    const size_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    CUBLAS_NEEDS(lda >= order && ldb >= m);
    OnDevice<T> da(order, order, a, lda), db(m, n, b, ldb);
    CUBLAS_TRY(da.prepare());
    CUBLAS_TRY(db.prepare());
    CUBLAS_TRY(solve(handle->blas, side, uplo, trans, diag, int64_t(m), int64_t(n), alpha, da.data(), da.stride(),
                 db.data(), db.stride()));
    return db.give_back();
  });
}

}  // namespace

extern "C" {

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  CUBLAS_NEEDS(handle);
  auto* made = new (std::nothrow) cublasXtContext;
  if (!made) return CUBLAS_STATUS_ALLOC_FAILED;
  if (const cublasStatus_t status = cublasCreate(&made->blas)) {
    delete made;
    return status;
  }
  *handle = made;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = cublasDestroy(handle->blas);
  delete handle;
  return status;
}
cublasStatus_t cublasXtGetNumBoards(int count, int* devices, int* boards) {
  CUBLAS_NEEDS(count > 0 && devices && boards);
  *boards = count;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtMaxBoards(int* most) {
  CUBLAS_NEEDS(most);
  return status_of(cudaGetDeviceCount(most));
}
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int* devices) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  int there = 0;
  CUBLAS_TRY(status_of(cudaGetDeviceCount(&there)));
  CUBLAS_NEEDS(count > 0 && devices);
  for (int i = 0; i < count; ++i) CUBLAS_NEEDS(devices[i] >= 0 && devices[i] < there);
  handle->device = devices[0];
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int size) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(size > 0);
  handle->block = size;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* size) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(size);
  *size = handle->block;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->pinning = mode;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(mode);
  *mode = handle->pinning;
  return CUBLAS_STATUS_SUCCESS;
}

#define XT_FUNCTIONS(letter, T)                                                                                       \
  cublasStatus_t cublasXt##letter##gemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,  \
                                        size_t m, size_t n, size_t k, const T* alpha, const T* a, size_t lda,         \
                                        const T* b, size_t ldb, const T* beta, T* c, size_t ldc) {                    \
    return gemm(handle, cublas##letter##gemm_64, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);       \
  }                                                                                                                   \
  cublasStatus_t cublasXt##letter##syrk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,      \
                                        size_t n, size_t k, const T* alpha, const T* a, size_t lda, const T* beta,    \
                                        T* c, size_t ldc) {                                                           \
    return syrk(handle, cublas##letter##syrk_64, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                     \
  }                                                                                                                   \
  cublasStatus_t cublasXt##letter##trsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,        \
                                        cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n,           \
                                        const T* alpha, const T* a, size_t lda, T* b, size_t ldb) {                   \
    return trsm(handle, cublas##letter##trsm_64, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);               \
  }
XT_FUNCTIONS(S, float)
XT_FUNCTIONS(D, double)

}  // extern "C"
