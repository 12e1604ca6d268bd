// QR factors, least squares and inverses of many small matrices. A block does one.
#include "../dense/lu.h"
#include "../dense/reflectors.h"
#include "handle.h"

namespace drywarp::cublas {
namespace {

using dense::View;

constexpr int kThreads = 128;
constexpr int kMostInverted = 32;  // rows of a matrix that matinvBatched takes, as cuBLAS's

template <class T>
__global__ void geqrf(int m, int n, T* const* matrices, int lda, T* const* tau) {
  dense::factor_orthogonal_columns(View<T>{matrices[blockIdx.x], 1, lda}, m, 0, m < n ? m : n, tau[blockIdx.x]);
}
// Columns right of the square part of a wide matrix.
template <class T>
__global__ void reflect_rest(int m, int n, T* const* matrices, int lda, T* const* tau) {
  T* const a = matrices[blockIdx.x];
  for (int j = m + int(threadIdx.x) / 32; j < n; j += kThreads / 32)
    dense::reflect_all(dense::Sequence{false, true, false}, View<const T>{a, 1, lda}, tau[blockIdx.x], 0, m, m,
                       a + int64_t(j) * lda, 1);
}

// C's first n rows become what solves A X = C with the least squares, A its QR factors.
template <class T>
__global__ void gels(int m, int n, int sides, T* const* matrices, int lda, T* const* right, int ldc, int* info) {
  const View<T> a{matrices[blockIdx.x], 1, lda};
  const View<const T> v{a.data, 1, lda};
  T* const c = right[blockIdx.x];
  int zero = 0;
  for (int k = 0; k < n; ++k) {
    const T tau = dense::conjugate(dense::make_reflector(a, m, k));
    for (int j = k + 1 + int(threadIdx.x) / 32; j < n + sides; j += kThreads / 32)
      dense::reflect(v, tau, k, m, j < n ? a.data + int64_t(j) * lda : c + int64_t(j - n) * ldc, 1, false);
    __syncthreads();
    if (zero == 0 && a.get(k, k) == T(0)) zero = k + 1;
  }
  if (threadIdx.x == 0 && info) info[blockIdx.x] = zero;
  if (zero != 0) return;
  for (int side = 0; side < sides; ++side)
    dense::solve(dense::Triangle<const T>{v, false, false}, n, c + int64_t(side) * ldc, 1);
}

template <class T>
__global__ void matinv(int n, const T* const* matrices, int lda, T* const* inverses, int ldi, int* info) {
  __shared__ T factors[kMostInverted * kMostInverted];
  __shared__ int pivots[kMostInverted];
  const T* const a = matrices[blockIdx.x];
  for (int id = int(threadIdx.x); id < n * n; id += kThreads) factors[id] = a[int64_t(id / n) * lda + id % n];
  if (threadIdx.x == 0) info[blockIdx.x] = 0;
  __syncthreads();
  dense::factor_columns(View<T>{factors, 1, n}, n, 0, n, pivots, info + blockIdx.x);
  __syncthreads();
  T* const inverse = inverses[blockIdx.x];
  for (int j = 0; j < n; ++j) {
    T* const x = inverse + int64_t(j) * ldi;
    for (int i = int(threadIdx.x); i < n; i += kThreads) x[i] = T(i == j ? 1 : 0);
    __syncthreads();
    dense::solve_factored(View<const T>{factors, 1, n}, false, false, n, pivots, x);
  }
}

bool covers(int ld, int rows) { return ld >= (rows > 1 ? rows : 1); }

// `info` of these two lies on the host: which argument is wrong.
template <class T>
cublasStatus_t run_geqrf(cublasHandle_t h, int m, int n, T* const* a, int lda, T* const* tau, int* info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(info);
  *info = m < 0 ? -1 : n < 0 ? -2 : !covers(lda, m) ? -4 : batch < 0 ? -7 : 0;
  CUBLAS_NEEDS(*info == 0);
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_TRY(launch(h, geqrf<T>, unsigned(batch), kThreads, m, n, a, lda, tau));
  return m < n ? launch(h, reflect_rest<T>, unsigned(batch), kThreads, m, n, a, lda, tau) : CUBLAS_STATUS_SUCCESS;
}
// As cuBLAS's, for matrices with no more columns than rows.
template <class T>
cublasStatus_t run_gels(cublasHandle_t h, cublasOperation_t trans, int m, int n, int sides, T* const* a, int lda,
                        T* const* c, int ldc, int* info, int* device_info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(info);
  if (trans != CUBLAS_OP_N || m < n) return CUBLAS_STATUS_NOT_SUPPORTED;
  *info = n < 0 ? -3 : sides < 0 ? -4 : !covers(lda, m) ? -6 : !covers(ldc, m) ? -8 : batch < 0 ? -11 : 0;
  CUBLAS_NEEDS(*info == 0);
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(h, gels<T>, unsigned(batch), kThreads, m, n, sides, a, lda, c, ldc, device_info);
}
template <class T>
cublasStatus_t run_matinv(cublasHandle_t h, int n, const T* const* a, int lda, T* const* inverse, int ldi, int* info,
                          int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(n >= 0 && n <= kMostInverted && covers(lda, n) && covers(ldi, n) && batch >= 0 && info);
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(h, matinv<T>, unsigned(batch), kThreads, n, a, lda, inverse, ldi, info);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;
using drywarp::dense::numbers;

#define SMALL(P, T)                                                                                                 \
  cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t h, int m, int n, T* const* a, int lda, T* const* tau,       \
                                         int* info, int batch) {                                                    \
    return run_geqrf(h, m, n, numbers(a), lda, numbers(tau), info, batch);                                          \
  }                                                                                                                 \
  cublasStatus_t cublas##P##gelsBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, int nrhs,          \
                                        T* const* a, int lda, T* const* c, int ldc, int* info, int* device_info,    \
                                        int batch) {                                                                \
    return run_gels(h, trans, m, n, nrhs, numbers(a), lda, numbers(c), ldc, info, device_info, batch);              \
  }                                                                                                                 \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t h, int n, const T* const* a, int lda, T* const* inverse,   \
                                          int ldi, int* info, int batch) {                                          \
    return run_matinv(h, n, numbers(a), lda, numbers(inverse), ldi, info, batch);                                   \
  }

extern "C" {
SMALL(S, float)
SMALL(D, double)
SMALL(C, cuComplex)
SMALL(Z, cuDoubleComplex)
}
