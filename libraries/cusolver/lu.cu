// LU factors, and what is solved with them.
#include "../dense/lu.h"

#include "../dense/tiles.h"
#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::View;

template <class T, class Int>
__global__ __launch_bounds__(kThreads) void factor_columns(View<T> a, int64_t m, int64_t first, int64_t width,
                                                           Int* pivots, int* info) {
  dense::factor_columns(a, m, first, width, pivots, info);
}

// The panel's exchanges in a column beside it; right of it, also the panel's triangle. A block a column.
template <class T, class Int>
__global__ __launch_bounds__(kThreads) void finish_columns(View<T> a, int64_t n, int64_t first, int64_t width,
                                                           const Int* pivots) {
  for (int64_t id = blockIdx.x; id < n - width; id += gridDim.x) {
    const int64_t column = id < first ? id : id + width;
    if (pivots && threadIdx.x == 0)
      for (int64_t k = first; k < first + width; ++k) {
        const int64_t other = int64_t(pivots[k]) - 1;
        const T kept = a.get(k, column);
        a.set(k, column, a.get(other, column)), a.set(other, column, kept);
      }
    __syncthreads();
    if (column < first) continue;
    const View<T> at = a.from(first, first);
    dense::solve(dense::Triangle<const T>{{at.data, at.row, at.column}, true, true}, width,
                 a.from(first, column).data, 1);
  }
}

// Takes the product of the panel's columns and rows off the rest.
template <class T>
__global__ __launch_bounds__(kThreads) void update(View<T> a, int64_t m, int64_t n, int64_t first, int64_t width) {
  const int64_t row = int64_t(blockIdx.x) * dense::kTile, column = int64_t(blockIdx.y) * dense::kTile;
  const int64_t next = first + width, rows = m - next, rest = n - next;
  const View<T> left = a.from(next, first), above = a.from(first, next), to = a.from(next, next);
  T sums[dense::kMine][dense::kMine] = {};
  dense::sum_tile(sums, dense::Factor<T>{left.data, rows, left.row, left.column},
                  dense::Factor<T>{above.data, rest, above.column, above.row}, width, row, column);
  dense::for_my_elements(sums, rows, rest, row, column,
                         [&](int64_t i, int64_t j, T sum) { to.set(i, j, to.get(i, j) - sum); });
}

template <class T, class Int>
__global__ __launch_bounds__(kThreads) void solve(View<const T> a, cublasOperation_t trans, int64_t n, int64_t sides,
                                                  const Int* pivots, T* b, int64_t ld) {
  for (int64_t side = blockIdx.x; side < sides; side += gridDim.x)
    dense::solve_factored(a, trans != CUBLAS_OP_N, trans == CUBLAS_OP_C, n, pivots, b + side * ld);
}

bool possible(int64_t m, int64_t n, int64_t lda) { return m >= 0 && n >= 0 && covers(lda, m); }

template <class T, class Int>
cusolverStatus_t getrf(cusolverDnHandle_t h, int64_t m, int64_t n, T* data, int64_t lda, Int* pivots, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(m, n, lda) && info);
  CUSOLVER_TRY(clear(h, info));
  const int64_t steps = m < n ? m : n;
  CUSOLVER_NEEDS(data || steps == 0);
  const View<T> a = dense::columns(data, lda);
  for (int64_t first = 0; first < steps; first += kPanel) {
    const int64_t width = steps - first < kPanel ? steps - first : kPanel, next = first + width;
    CUSOLVER_TRY(launch(h, factor_columns<T, Int>, 1, a, m, first, width, pivots, info));
    if (n > width) CUSOLVER_TRY(launch(h, finish_columns<T, Int>, blocks_for(n - width), a, n, first, width, pivots));
    if (m > next && n > next)
      CUSOLVER_TRY(launch(h, update<T>, dim3(blocks_for(m - next, dense::kTile), blocks_for(n - next, dense::kTile)), a,
                          m, n, first, width));
  }
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T, class Int>
cusolverStatus_t getrs(cusolverDnHandle_t h, cublasOperation_t trans, int64_t n, int64_t sides, const T* a, int64_t lda,
                       const Int* pivots, T* b, int64_t ldb, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(known(trans) && possible(n, sides, lda) && covers(ldb, n) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0 || sides == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && b);
  return launch(h, solve<T, Int>, blocks_for(sides), dense::columns(a, lda), trans, n, sides, pivots, b, ldb);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::numbers;

#define LU(P, T)                                                                                                    \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*, int lda, int* size) {    \
    return give_size(h, possible(m, n, lda), 0, size);                                                              \
  }                                                                                                                 \
  cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T*, int* pivots,         \
                                        int* info) {                                                                \
    return getrf(h, m, n, numbers(a), lda, pivots, info);                                                           \
  }                                                                                                                 \
  cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t h, cublasOperation_t trans, int n, int nrhs, const T* a, \
                                        int lda, const int* pivots, T* b, int ldb, int* info) {                     \
    return getrs(h, trans, n, nrhs, numbers(a), lda, pivots, numbers(b), ldb, info);                                \
  }

extern "C" {
LU(S, float)
LU(D, double)
LU(C, cuComplex)
LU(Z, cuDoubleComplex)

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType, const void*, int64_t lda, cudaDataType, size_t* device,
                                             size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(m, n, lda), 0, host));
  return give_size(h, true, 0, device);
}
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                  void* a, int64_t lda, int64_t* pivots, cudaDataType, void*, size_t, void*, size_t,
                                  int* info) {
  return with_type(type,
                   [&](auto number) { return getrf(h, m, n, static_cast<decltype(number)*>(a), lda, pivots, info); });
}
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasOperation_t trans, int64_t n,
                                  int64_t nrhs, cudaDataType type, const void* a, int64_t lda, const int64_t* pivots,
                                  cudaDataType, void* b, int64_t ldb, int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return getrs(h, trans, n, nrhs, static_cast<const T*>(a), lda, pivots, static_cast<T*>(b), ldb, info);
  });
}
}
