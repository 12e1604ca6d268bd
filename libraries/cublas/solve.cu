// Triangular systems, and LU factors of many small matrices. A block solves one right side, or factors one matrix.
#include "handle.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128;

// A triangle that is solved for. `row` and `column`: the steps of op(A) in memory; `lower`: of op(A).
template <class T>
struct Triangle {
  const T* data;
  int64_t row, column;
  bool lower, unit;
  __device__ T at(int64_t i, int64_t j) const { return data[i * row + j * column]; }
};

// op(A) x = x, whose elements are `step` apart: as each is known, what it adds to the others is taken off them.
template <class T>
__device__ void solve(const Triangle<T>& a, int64_t n, T* x, int64_t step) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = a.lower ? k : n - 1 - k;
    if (threadIdx.x == 0 && !a.unit) x[i * step] /= a.at(i, i);
    __syncthreads();
    const T known = x[i * step];
    for (int64_t other = threadIdx.x; other < n; other += kThreads)
      if (a.lower ? other > i : other < i) x[other * step] -= a.at(other, i) * known;
    __syncthreads();
  }
}

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

// A block a right side; these are `next` apart. `a` has no data yet.
template <class T>
__global__ void trsm(Triangle<T> a, int64_t n, int64_t sides, Scalar<T> alpha, Systems<T> systems, int64_t step,
                     int64_t next) {
  const T factor = alpha.get();
  for (int64_t s = blockIdx.y; s < systems.count; s += gridDim.y) {
    a.data = systems.all_a ? systems.all_a[s] : systems.a;
    T* const b = systems.all_a ? systems.all_b[s] : systems.b;
    for (int64_t side = blockIdx.x; side < sides; side += gridDim.x) {
      T* x = b + side * next;
      for (int64_t i = threadIdx.x; i < n; i += kThreads) x[i * step] = factor == T(0) ? T(0) : factor * x[i * step];
      __syncthreads();
      if (factor != T(0)) solve(a, n, x, step);
    }
  }
}

template <class T>
Triangle<T> triangle(int64_t ld, cublasFillMode_t uplo, cublasDiagType_t diag, bool transposed) {
  const bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) != transposed;
  return {nullptr, transposed ? ld : 1, transposed ? 1 : ld, lower, diag == CUBLAS_DIAG_UNIT};
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
                triangle<T>(lda, uplo, diag, transposed), order, sides, scalar(h, alpha), systems, left ? 1 : ldb,
                left ? ldb : 1);
}

template <class T>
cublasStatus_t run_trsv(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
                        int64_t n, const T* a, int64_t lda, T* x, int64_t incx) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(uplo) && cublas::known(trans) && n >= 0 && lda >= (n > 1 ? n : 1) && incx != 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a && x);
  return launch(h, trsm<T>, 1, kThreads, triangle<T>(lda, uplo, diag, trans != CUBLAS_OP_N), n, int64_t(1),
                Scalar<T>{T(1), nullptr}, Systems<T>{a, incx > 0 ? x : x + (1 - n) * incx}, incx, int64_t(0));
}

// Gaussian elimination column by column, with the largest of each column as its pivot.
template <class T>
__global__ void getrf(int n, T* const* matrices, int lda, int* pivots, int* info) {
  __shared__ T largest[kThreads];
  __shared__ int where[kThreads];
  __shared__ int first_zero;
  T* a = matrices[blockIdx.x];
  if (threadIdx.x == 0) first_zero = 0;
  for (int k = 0; k < n; ++k) {
    if (pivots) {
      T most = T(-1);
      int at = k;
      for (int i = k + int(threadIdx.x); i < n; i += kThreads) {
        const T size = fabs(a[int64_t(k) * lda + i]);
        if (size > most) most = size, at = i;
      }
      largest[threadIdx.x] = most, where[threadIdx.x] = at;
      __syncthreads();
      for (int half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
          const int other = int(threadIdx.x) + half;
          if (largest[other] > largest[threadIdx.x] ||
              (largest[other] == largest[threadIdx.x] && where[other] < where[threadIdx.x]))
            largest[threadIdx.x] = largest[other], where[threadIdx.x] = where[other];
        }
        __syncthreads();
      }
      const int pivot = where[0];
      if (threadIdx.x == 0) pivots[int64_t(blockIdx.x) * n + k] = pivot + 1;
      if (pivot != k) {
        for (int j = int(threadIdx.x); j < n; j += kThreads) {
          T &x = a[int64_t(j) * lda + k], &y = a[int64_t(j) * lda + pivot];
          const T kept = x;
          x = y, y = kept;
        }
      }
    }
    __syncthreads();
    const T diagonal = a[int64_t(k) * lda + k];
    if (diagonal == T(0)) {
      if (threadIdx.x == 0 && first_zero == 0) first_zero = k + 1;
      continue;
    }
    for (int i = k + 1 + int(threadIdx.x); i < n; i += kThreads) a[int64_t(k) * lda + i] /= diagonal;
    __syncthreads();
    const int rest = n - k - 1;
    for (int id = int(threadIdx.x); id < rest * rest; id += kThreads) {
      const int i = k + 1 + id % rest, j = k + 1 + id / rest;
      a[int64_t(j) * lda + i] -= a[int64_t(k) * lda + i] * a[int64_t(j) * lda + k];
    }
    __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0 && info) info[blockIdx.x] = first_zero;
}

// A block a matrix and a right side. The identity's columns are the right sides of an inverse.
template <class T>
__global__ void getrs(bool transposed, int n, const T* const* factors, int lda, const int* pivots, T* const* sides,
                      int ldb, bool inverse) {
  const T* a = factors[blockIdx.x];
  T* x = sides[blockIdx.x] + int64_t(blockIdx.y) * ldb;
  const int* exchanged = pivots ? pivots + int64_t(blockIdx.x) * n : nullptr;
  if (inverse) {
    for (int i = int(threadIdx.x); i < n; i += kThreads) x[i] = T(i == int(blockIdx.y));
    __syncthreads();
  }
  const auto exchange = [&](int k) {
    const int other = exchanged[k] - 1;
    const T kept = x[k];
    x[k] = x[other], x[other] = kept;
  };
  if (!transposed && exchanged && threadIdx.x == 0)
    for (int k = 0; k < n; ++k) exchange(k);
  __syncthreads();
  if (transposed) {
    solve(Triangle<T>{a, lda, 1, true, false}, n, x, 1);
    solve(Triangle<T>{a, lda, 1, false, true}, n, x, 1);
  } else {
    solve(Triangle<T>{a, 1, lda, true, true}, n, x, 1);
    solve(Triangle<T>{a, 1, lda, false, false}, n, x, 1);
  }
  if (transposed && exchanged && threadIdx.x == 0)
    for (int k = n; k-- > 0;) exchange(k);
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
  return launch(h, getrs<T>, dim3(unsigned(batch), unsigned(sides)), kThreads, trans != CUBLAS_OP_N, n, a, lda, pivots,
                b, ldb, false);
}
template <class T>
cublasStatus_t run_getri(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, T* const* c, int ldc,
                         int* info, int batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(n >= 0 && batch >= 0 && lda >= (n > 1 ? n : 1) && ldc >= (n > 1 ? n : 1) && info);
  if (n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_TRY(status_of(cudaMemsetAsync(info, 0, sizeof(int) * size_t(batch), h->stream)));
  return launch(h, getrs<T>, dim3(unsigned(batch), unsigned(n)), kThreads, false, n, a, lda, pivots, c, ldc, true);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

#define SOLVE(P, T, Form, Int)                                                                                 \
  cublasStatus_t cublas##P##trsm_v2##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,      \
                                          cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,        \
                                          const T* alpha, const T* a, Int lda, T* b, Int ldb) {                \
    return run_trsm<T>(h, side, uplo, trans, diag, m, n, alpha, Systems<T>{a, b}, lda, ldb);                   \
  }                                                                                                            \
  cublasStatus_t cublas##P##trsmBatched##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,  \
                                              cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,    \
                                              const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb, \
                                              Int batch) {                                                     \
    return run_trsm<T>(h, side, uplo, trans, diag, m, n, alpha, Systems<T>{nullptr, nullptr, a, b, batch}, lda, ldb); \
  }                                                                                                            \
  cublasStatus_t cublas##P##trsv_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,    \
                                          cublasDiagType_t diag, Int n, const T* a, Int lda, T* x, Int incx) { \
    return run_trsv<T>(h, uplo, trans, diag, n, a, lda, x, incx);                                              \
  }
#define LU(P, T)                                                                                                 \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,  \
                                         int batch) {                                                            \
    return run_getrf<T>(h, n, a, lda, pivots, info, batch);                                                      \
  }                                                                                                              \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs,             \
                                         const T* const* a, int lda, const int* pivots, T* const* b, int ldb,    \
                                         int* info, int batch) {                                                 \
    return run_getrs<T>(h, trans, n, nrhs, a, lda, pivots, b, ldb, info, batch);                                 \
  }                                                                                                              \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, \
                                         T* const* c, int ldc, int* info, int batch) {                           \
    return run_getri<T>(h, n, a, lda, pivots, c, ldc, info, batch);                                              \
  }

extern "C" {
SOLVE(S, float, , int)
SOLVE(S, float, _64, int64_t)
SOLVE(D, double, , int)
SOLVE(D, double, _64, int64_t)
LU(S, float)
LU(D, double)
}
