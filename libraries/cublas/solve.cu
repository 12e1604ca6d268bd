// Triangular systems, and LU factors of many small matrices. A block solves one right side, or factors one matrix.
#include "../dense/lu.h"
#include "handle.h"

namespace drywarp::cublas {
namespace {

using dense::Triangle;
using dense::View;

constexpr int kThreads = 128;

// The matrices of one system, or of many by lists of pointers that lie on the device.
template <class T>
struct Systems {
  const T* a = nullptr;
  T* b = nullptr;
  const T* const* all_a = nullptr;
  T* const* all_b = nullptr;
  int64_t count = 1;
  [[nodiscard]] bool known() const { return all_a ? all_b != nullptr : a && b; }
};
template <class T>
Systems<T> one_system(const T* a, T* b) {
  return {a, b};
}
template <class T>
Systems<T> all_systems(const T* const* a, T* const* b, int64_t count) {
  return {nullptr, nullptr, a, b, count};
}

// A block a right side; these are `next` apart. `a` has no data yet.
template <class T>
__global__ void trsm(Triangle<const T> a, int64_t n, int64_t sides, Scalar<T> alpha, Systems<T> systems, int64_t step,
                     int64_t next) {
  const T factor = alpha.get();
  for (int64_t s = blockIdx.y; s < systems.count; s += gridDim.y) {
    a.a.data = systems.all_a ? systems.all_a[s] : systems.a;
    T* const b = systems.all_a ? systems.all_b[s] : systems.b;
    for (int64_t side = blockIdx.x; side < sides; side += gridDim.x) {
      T* x = b + side * next;
      for (int64_t i = threadIdx.x; i < n; i += kThreads) x[i * step] = factor == T(0) ? T(0) : factor * x[i * step];
      __syncthreads();
      if (factor != T(0)) dense::solve(a, n, x, step);
    }
  }
}

// `conjugated`: op's numbers are.
template <class T>
Triangle<const T> triangle(int64_t ld, cublasFillMode_t uplo, cublasDiagType_t diag, bool transposed, bool conjugated) {
  const bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) != transposed;
  return {{nullptr, transposed ? ld : 1, transposed ? 1 : ld, conjugated}, lower, diag == CUBLAS_DIAG_UNIT};
}

bool known(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }

// X op(A) = alpha B is op(A)^T X^T = alpha B^T: rows of B are the right sides.
template <class T>
cublasStatus_t run_trsm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                        cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha, const Systems<T>& systems,
                        int64_t lda, int64_t ldb) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int64_t order = left ? m : n;
  CUBLAS_NEEDS((left || side == CUBLAS_SIDE_RIGHT) && known(uplo) && cublas::known(trans) && m >= 0 && n >= 0);
  CUBLAS_NEEDS(systems.count >= 0 && lda >= (order > 1 ? order : 1) && ldb >= (m > 1 ? m : 1));
  if (m == 0 || n == 0 || systems.count == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && systems.known());
  const bool transposed = (trans != CUBLAS_OP_N) == left;
  const int64_t sides = left ? n : m;
  return launch(h, trsm<T>, dim3(blocks_for(sides, 1, 65535), blocks_for(systems.count, 1, 65535)), kThreads,
                triangle<T>(lda, uplo, diag, transposed, trans == CUBLAS_OP_C), order, sides, scalar(h, alpha), systems, left ? 1 : ldb,
                left ? ldb : 1);
}

template <class T>
cublasStatus_t run_trsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int64_t n, const T* a, int64_t lda, T* x, int64_t incx) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(uplo) && cublas::known(trans) && n >= 0 && lda >= (n > 1 ? n : 1) && incx != 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a && x);
  return launch(h, trsm<T>, 1, kThreads, triangle<T>(lda, uplo, diag, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C), n,
                int64_t(1),
                Scalar<T>{T(1), nullptr}, Systems<T>{a, incx > 0 ? x : x + (1 - n) * incx}, incx, int64_t(0));
}

// A block a matrix.
template <class T>
__global__ void getrf(int n, T* const* matrices, int lda, int* pivots, int* info) {
  const View<T> a{matrices[blockIdx.x], 1, lda};
  if (threadIdx.x == 0) info[blockIdx.x] = 0;
  __syncthreads();
  dense::factor_columns(a, n, 0, n, pivots ? pivots + int64_t(blockIdx.x) * n : nullptr, info + blockIdx.x);
}

// A block a matrix and a right side. The identity's columns are the right sides of an inverse.
template <class T>
__global__ void getrs(cublasOperation_t trans, int n, const T* const* factors, int lda, const int* pivots,
                      T* const* sides, int ldb, bool inverse) {
  const View<const T> a{factors[blockIdx.x], 1, lda};
  T* x = sides[blockIdx.x] + int64_t(blockIdx.y) * ldb;
  if (inverse) {
    for (int i = int(threadIdx.x); i < n; i += kThreads) x[i] = T(i == int(blockIdx.y) ? 1 : 0);
    __syncthreads();
  }
  dense::solve_factored(a, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C, n,
                        pivots ? pivots + int64_t(blockIdx.x) * n : nullptr, x);
}

template <class T>
cublasStatus_t run_getrf(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(n >= 0 && batch >= 0 && lda >= (n > 1 ? n : 1) && info);
  if (batch == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(h, getrf<T>, unsigned(batch), kThreads, n, a, lda, pivots, info);
}
// `info` lies on the host.
template <class T>
cublasStatus_t run_getrs(cublasHandle_t h, cublasOperation_t trans, int n, int sides, const T* const* a, int lda,
                         const int* pivots, T* const* b, int ldb, int* info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(info);
  *info = !cublas::known(trans)   ? -1
          : n < 0                 ? -2
          : sides < 0             ? -3
          : lda < (n > 1 ? n : 1) ? -5
          : ldb < (n > 1 ? n : 1) ? -8
          : batch < 0             ? -10
                                  : 0;
  CUBLAS_NEEDS(*info == 0);
  if (n == 0 || sides == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  return launch(h, getrs<T>, dim3(unsigned(batch), unsigned(sides)), kThreads, trans, n, a, lda, pivots, b, ldb, false);
}
template <class T>
cublasStatus_t run_getri(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                         int* info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(n >= 0 && batch >= 0 && lda >= (n > 1 ? n : 1) && ldc >= (n > 1 ? n : 1) && info);
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_TRY(status_of(cudaMemsetAsync(info, 0, sizeof(int) * size_t(batch), h->stream)));
  return launch(h, getrs<T>, dim3(unsigned(batch), unsigned(n)), kThreads, CUBLAS_OP_N, n, a, lda, pivots, c, ldc,
                true);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;
using drywarp::dense::numbers;

#define SOLVE(P, T, Form, Int)                                                                                 \
  cublasStatus_t cublas##P##trsm_v2##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,      \
                                          cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,        \
                                          const T* alpha, const T* a, Int lda, T* b, Int ldb) {                \
    return run_trsm(h, side, uplo, trans, diag, m, n, numbers(alpha), one_system(numbers(a), numbers(b)), lda, ldb);                   \
  }                                                                                                            \
  cublasStatus_t cublas##P##trsmBatched##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,  \
                                              cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,    \
                                              const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb, \
                                              Int batch) {                                                     \
    return run_trsm(h, side, uplo, trans, diag, m, n, numbers(alpha), all_systems(numbers(a), numbers(b), batch), lda, ldb); \
  }                                                                                                            \
  cublasStatus_t cublas##P##trsv_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,    \
                                          cublasDiagType_t diag, Int n, const T* a, Int lda, T* x, Int incx) { \
    return run_trsv(h, uplo, trans, diag, n, numbers(a), lda, numbers(x), incx);                                              \
  }
#define LU(P, T)                                                                                                 \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,  \
                                         int batch) {                                                            \
    return run_getrf(h, n, numbers(a), lda, pivots, info, batch);                                                      \
  }                                                                                                              \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs,             \
                                         const T* const* a, int lda, const int* pivots, T* const* b, int ldb,    \
                                         int* info, int batch) {                                                 \
    return run_getrs(h, trans, n, nrhs, numbers(a), lda, pivots, numbers(b), ldb, info, batch);                                 \
  }                                                                                                              \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, \
                                         T* const* c, int ldc, int* info, int batch) {                           \
    return run_getri(h, n, numbers(a), lda, pivots, numbers(c), ldc, info, batch);                                              \
  }

extern "C" {
SOLVE(S, float, , int)
SOLVE(S, float, _64, int64_t)
SOLVE(D, double, , int)
SOLVE(D, double, _64, int64_t)
SOLVE(C, cuComplex, , int)
SOLVE(C, cuComplex, _64, int64_t)
SOLVE(Z, cuDoubleComplex, , int)
SOLVE(Z, cuDoubleComplex, _64, int64_t)
LU(S, float)
LU(D, double)
LU(C, cuComplex)
LU(Z, cuDoubleComplex)
}
