// Cholesky factors, and what is solved and inverted with them.
#include "../dense/cholesky.h"

#include "../dense/tiles.h"
#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::View;

template <class T>
__global__ __launch_bounds__(kThreads) void factor_columns(View<T> a, int64_t n, int64_t first, int64_t width,
                                                           int* info) {
  if (*info == 0) dense::factor_positive_columns(a, n, first, width, info);
}

// Takes the product of the panel's columns off what is right of them: a block a tile of the lower triangle.
template <class T>
__global__ __launch_bounds__(kThreads) void update(View<T> a, int64_t n, int64_t first, int64_t width,
                                                   const int* info) {
  const int64_t rest = n - first - width, row = int64_t(blockIdx.x) * dense::kTile;
  const int64_t column = int64_t(blockIdx.y) * dense::kTile;
  if (*info != 0 || row + dense::kTile <= column) return;
  const View<T> panel = a.from(first + width, first), to = a.from(first + width, first + width);
  T sums[dense::kMine][dense::kMine] = {};
  dense::sum_tile(sums, dense::Factor<T>{panel.data, rest, panel.row, panel.column, panel.conjugated},
                  dense::Factor<T>{panel.data, rest, panel.row, panel.column, !panel.conjugated}, width, row, column);
  dense::for_my_elements(sums, rest, rest, row, column, [&](int64_t i, int64_t j, T sum) {
    if (i >= j) to.set(i, j, to.get(i, j) - sum);
  });
}

template <class T>
__global__ __launch_bounds__(kThreads) void factor_batch(T* const* matrices, int64_t ld, bool upper, int64_t n,
                                                         int* info) {
  const View<T> a = dense::columns(matrices[blockIdx.x], ld);
  if (threadIdx.x == 0) info[blockIdx.x] = 0;
  __syncthreads();
  dense::factor_positive_columns(upper ? a.adjoint() : a, n, 0, n, info + blockIdx.x);
}

// A block a right side.
template <class T>
__global__ __launch_bounds__(kThreads) void solve(View<const T> lower, int64_t n, int64_t sides, T* b, int64_t ld) {
  for (int64_t side = blockIdx.x; side < sides; side += gridDim.x) dense::solve_positive(lower, n, b + side * ld);
}
template <class T>
__global__ __launch_bounds__(kThreads) void solve_batch(T* const* matrices, int64_t lda, bool upper, int64_t n,
                                                        int64_t sides, T* const* b, int64_t ldb) {
  const View<const T> a{matrices[blockIdx.x], 1, lda, false};
  for (int64_t side = blockIdx.y; side < sides; side += gridDim.y)
    dense::solve_positive(upper ? a.adjoint() : a, n, b[blockIdx.x] + side * ldb);
}

// Column j of the inverse, and then what of it lies in the triangle.
template <class T>
__global__ __launch_bounds__(kThreads) void invert(View<const T> lower, int64_t n, T* inverse) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x) {
    for (int64_t i = threadIdx.x; i < n; i += kThreads) inverse[j * n + i] = T(i == j ? 1 : 0);
    __syncthreads();
    dense::solve_positive(lower, n, inverse + j * n);
  }
}
template <class T>
__global__ __launch_bounds__(kThreads) void copy_triangle(const T* from, int64_t n, View<T> lower) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = j + threadIdx.x; i < n; i += kThreads) lower.set(i, j, from[j * n + i]);
}

template <class T>
View<const T> read_only(View<T> a) {
  return {a.data, a.row, a.column, a.conjugated};
}
bool possible(cublasFillMode_t uplo, int64_t n, int64_t lda) { return known(uplo) && n >= 0 && covers(lda, n); }

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n, T* a, int64_t lda, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, n, lda) && (a || n == 0) && info);
  CUSOLVER_TRY(clear(h, info));
  const View<T> lower = dense::lower_triangle(a, lda, uplo == CUBLAS_FILL_MODE_UPPER);
  for (int64_t first = 0; first < n; first += kPanel) {
    const int64_t width = n - first < kPanel ? n - first : kPanel, rest = n - first - width;
    CUSOLVER_TRY(launch(h, factor_columns<T>, 1, lower, n, first, width, info));
    const unsigned tiles = blocks_for(rest, dense::kTile);
    if (rest > 0) CUSOLVER_TRY(launch(h, update<T>, dim3(tiles, tiles), lower, n, first, width, info));
  }
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n, int64_t sides, const T* a, int64_t lda,
                       T* b, int64_t ldb, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, n, lda) && sides >= 0 && covers(ldb, n) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0 || sides == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && b);
  return launch(h, solve<T>, blocks_for(sides), dense::lower_triangle(a, lda, uplo == CUBLAS_FILL_MODE_UPPER), n,
                sides, b, ldb);
}
template <class T>
cusolverStatus_t potri(cusolverDnHandle_t h, cublasFillMode_t uplo, int64_t n, T* a, int64_t lda, T* work,
                       int64_t work_size, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, n, lda) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && work && work_size >= n * n);
  const View<T> lower = dense::lower_triangle(a, lda, uplo == CUBLAS_FILL_MODE_UPPER);
  CUSOLVER_TRY(launch(h, invert<T>, blocks_for(n), read_only(lower), n, work));
  return launch(h, copy_triangle<T>, blocks_for(n), work, n, lower);
}
template <class T>
cusolverStatus_t potrf_batch(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* const* a, int lda, int* info,
                             int batch) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, n, lda) && batch >= 0 && info);
  if (batch == 0) return CUSOLVER_STATUS_SUCCESS;
  return launch(h, factor_batch<T>, unsigned(batch), a, lda, uplo == CUBLAS_FILL_MODE_UPPER, n, info);
}
template <class T>
cusolverStatus_t potrs_batch(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int sides, T* const* a, int lda,
                             T* const* b, int ldb, int* info, int batch) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, n, lda) && sides >= 0 && covers(ldb, n) && batch >= 0 && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0 || sides == 0 || batch == 0) return CUSOLVER_STATUS_SUCCESS;
  return launch(h, solve_batch<T>, dim3(unsigned(batch), blocks_for(sides)), a, lda, uplo == CUBLAS_FILL_MODE_UPPER, n,
                sides, b, ldb);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::numbers;

#define CHOLESKY(P, T)                                                                                             \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T*, int lda, \
                                                   int* size) {                                                    \
    return give_size(h, possible(uplo, n, lda), 0, size);                                                          \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a, int lda, T*, int, \
                                        int* info) {                                                               \
    return potrf(h, uplo, n, numbers(a), lda, info);                                                               \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs, const T* a,  \
                                        int lda, T* b, int ldb, int* info) {                                       \
    return potrs(h, uplo, n, nrhs, numbers(a), lda, numbers(b), ldb, info);                                        \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T*, int lda, \
                                                   int* size) {                                                    \
    return give_size(h, possible(uplo, n, lda), int64_t(n) * n, size);                                             \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a, int lda, T* work, \
                                        int size, int* info) {                                                     \
    return potri(h, uplo, n, numbers(a), lda, numbers(work), size, info);                                          \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potrfBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* a[], int lda, \
                                               int* info, int batch) {                                             \
    return potrf_batch(h, uplo, n, numbers(a), lda, info, batch);                                                  \
  }                                                                                                                \
  cusolverStatus_t cusolverDn##P##potrsBatched(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int nrhs,       \
                                               T* a[], int lda, T* b[], int ldb, int* info, int batch) {           \
    return potrs_batch(h, uplo, n, nrhs, numbers(a), lda, numbers(b), ldb, info, batch);                           \
  }

extern "C" {
CHOLESKY(S, float)
CHOLESKY(D, double)
CHOLESKY(C, cuComplex)
CHOLESKY(Z, cuDoubleComplex)

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
                                             cudaDataType, const void*, int64_t lda, cudaDataType, size_t* device,
                                             size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(uplo, n, lda), 0, host));
  return give_size(h, true, 0, device);
}
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, cudaDataType, void*, size_t, void*, size_t,
                                  int* info) {
  return with_type(type, [&](auto number) { return potrf(h, uplo, n, static_cast<decltype(number)*>(a), lda, info); });
}
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t h, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
                                  int64_t nrhs, cudaDataType type, const void* a, int64_t lda, cudaDataType, void* b,
                                  int64_t ldb, int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return potrs(h, uplo, n, nrhs, static_cast<const T*>(a), lda, static_cast<T*>(b), ldb, info);
  });
}
}
