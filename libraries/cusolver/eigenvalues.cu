// Eigenvalues and eigenvectors of symmetric and Hermitian matrices.
#include "../dense/eigenvalues.h"

#include "iteration.h"

struct syevjInfo : drywarp::cusolver::Iteration {};

namespace drywarp::cusolver {
namespace {


using dense::Real;
using dense::View;

// A block a matrix; these are `ld * n` apart.
template <class T>
__global__ __launch_bounds__(kThreads) void find_eigenvalues(bool vectors, bool upper, int64_t n, T* matrices,
                                                             int64_t ld, Real<T>* values, T* work, int* info,
                                                             dense::Limits limits, dense::Outcome* outcome) {
  T* const a = matrices + blockIdx.x * ld * n;
  const View<T> whole = dense::columns(a, ld);
  dense::find_eigenvalues(upper ? whole.adjoint() : whole, n, vectors, a, ld, values + blockIdx.x * n,
                          work + blockIdx.x * dense::eigen_work<T>(n), limits, info + blockIdx.x,
                          blockIdx.x == 0 ? outcome : nullptr);
}

bool possible(cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, int64_t lda, int64_t batch = 1) {
  return known(mode) && known(uplo) && n >= 0 && covers(lda, n) && batch >= 0;
}

template <class T>
cusolverStatus_t syev(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, T* a,
                      int64_t lda, Real<T>* values, T* work, int64_t size, int* info, const Iteration* iteration,
                      int64_t batch = 1) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(mode, uplo, n, lda, batch) && info);
  if (n == 0 || batch == 0) return batch ? clear(h, info, batch) : CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && values && work && size >= batch * dense::eigen_work<T>(n));
  return launch(h, find_eigenvalues<T>, unsigned(batch), mode == CUSOLVER_EIG_MODE_VECTOR,
                uplo == CUBLAS_FILL_MODE_UPPER, n, a, lda, values, work, info,
                iteration ? iteration->limits : kDefaultLimits, iteration ? iteration->outcome : nullptr);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::eigen_work;
using drywarp::dense::Real;
using drywarp::dense::numbers;

#define EIGENVALUES(Name, T, R)                                                                                       \
  cusolverStatus_t cusolverDn##Name##evd_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,                     \
                                                    cublasFillMode_t uplo, int n, const T*, int lda, const R*,        \
                                                    int* size) {                                                      \
    return give_size(h, possible(mode, uplo, n, lda), eigen_work<T>(n), size);                                        \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##Name##evd(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,  \
                                         T* a, int lda, R* values, T* work, int size, int* info) {                    \
    return syev(h, mode, uplo, n, numbers(a), lda, values, numbers(work), size, info, nullptr);                       \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##Name##evj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,                     \
                                                    cublasFillMode_t uplo, int n, const T*, int lda, const R*,        \
                                                    int* size, syevjInfo_t) {                                         \
    return give_size(h, possible(mode, uplo, n, lda), eigen_work<T>(n), size);                                        \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##Name##evj(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,  \
                                         T* a, int lda, R* values, T* work, int size, int* info, syevjInfo_t params) { \
    return syev(h, mode, uplo, n, numbers(a), lda, values, numbers(work), size, info, params);                        \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##Name##evjBatched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,              \
                                                           cublasFillMode_t uplo, int n, const T*, int lda,           \
                                                           const R*, int* size, syevjInfo_t, int batch) {             \
    return give_size(h, possible(mode, uplo, n, lda, batch), eigen_work<T>(n) * batch, size);                         \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##Name##evjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,  \
                                                int n, T* a, int lda, R* values, T* work, int size, int* info,        \
                                                syevjInfo_t params, int batch) {                                      \
    return syev(h, mode, uplo, n, numbers(a), lda, values, numbers(work), size, info, params, batch);                 \
  }

extern "C" {
ITERATION(Syevj, syevj, syevjInfo)
EIGENVALUES(Ssy, float, float)
EIGENVALUES(Dsy, double, double)
EIGENVALUES(Che, cuComplex, float)
EIGENVALUES(Zhe, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType type, const void*,
                                             int64_t lda, cudaDataType, const void*, cudaDataType, size_t* device,
                                             size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(mode, uplo, n, lda), 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, eigen_work<decltype(number)>(n) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType type, void* a, int64_t lda,
                                  cudaDataType, void* values, cudaDataType, void* work, size_t bytes, void*, size_t,
                                  int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return syev(h, mode, uplo, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(values), static_cast<T*>(work),
                int64_t(bytes / sizeof(T)), info, nullptr);
  });
}

cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                                   cublasFillMode_t uplo, int64_t n, cudaDataType type, const void*,
                                                   int64_t lda, cudaDataType, const void*, cudaDataType,
                                                   size_t* device, size_t* host, int64_t batch) {
  CUSOLVER_TRY(give_size(h, possible(mode, uplo, n, lda, batch), 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, batch * eigen_work<decltype(number)>(n) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType type, void* a, int64_t lda,
                                        cudaDataType, void* values, cudaDataType, void* work, size_t bytes, void*,
                                        size_t, int* info, int64_t batch) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return syev(h, mode, uplo, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(values), static_cast<T*>(work),
                int64_t(bytes / sizeof(T)), info, nullptr, batch);
  });
}
}
