// The inverse of a triangle.
#include "../dense/triangles.h"

#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::Triangle;
using dense::View;

// `info`: the place, from 1, of the first 0 on the diagonal.
template <class T>
__global__ __launch_bounds__(kThreads) void find_zero(Triangle<const T> t, int64_t n, int* info) {
  __shared__ int first;
  if (threadIdx.x == 0) first = INT32_MAX;
  __syncthreads();
  int mine = INT32_MAX;
  for (int64_t i = threadIdx.x; !t.unit && i < n; i += kThreads)
    if (t.a.get(i, i) == T(0)) mine = min(mine, int(i + 1));
  if (mine != INT32_MAX) atomicMin(&first, mine);
  __syncthreads();
  if (threadIdx.x == 0) *info = first == INT32_MAX ? 0 : first;
}
// Column j of the inverse: what solves for a 1 at j. A triangle's rows on the other side of j stay 0.
template <class T>
__global__ __launch_bounds__(kThreads) void invert(Triangle<const T> t, int64_t n, T* inverse, const int* info) {
  if (*info != 0) return;
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x) {
    T* const x = inverse + j * n;
    for (int64_t i = threadIdx.x; i < n; i += kThreads) x[i] = T(i == j ? 1 : 0);
    __syncthreads();
    const int64_t first = t.lower ? j : 0;
    dense::solve(Triangle<const T>{t.a.from(first, first), t.lower, t.unit}, t.lower ? n - j : j + 1, x + first, 1);
  }
}
template <class T>
__global__ __launch_bounds__(kThreads) void put_triangle(const T* from, int64_t n, Triangle<T> to, const int* info) {
  if (*info != 0) return;
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < n; i += kThreads)
      if ((to.lower ? i > j : i < j) || (i == j && !to.unit)) to.a.set(i, j, from[j * n + i]);
}

bool possible(cublasFillMode_t uplo, cublasDiagType_t diagonal, int64_t n, int64_t lda) {
  return known(uplo) && (diagonal == CUBLAS_DIAG_UNIT || diagonal == CUBLAS_DIAG_NON_UNIT) && n >= 0 && covers(lda, n);
}
template <class T>
cusolverStatus_t trtri(cusolverDnHandle_t h, cublasFillMode_t uplo, cublasDiagType_t diagonal, int64_t n, T* a,
                       int64_t lda, T* work, int64_t size, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(uplo, diagonal, n, lda) && info);
  if (n == 0) return clear(h, info);
  CUSOLVER_NEEDS(a && work && size >= n * n);
  const bool lower = uplo == CUBLAS_FILL_MODE_LOWER, unit = diagonal == CUBLAS_DIAG_UNIT;
  const Triangle<const T> given{{a, 1, lda, false}, lower, unit};
  CUSOLVER_TRY(launch(h, find_zero<T>, 1, given, n, info));
  CUSOLVER_TRY(launch(h, invert<T>, blocks_for(n), given, n, work, info));
  return launch(h, put_triangle<T>, blocks_for(n), work, n, Triangle<T>{dense::columns(a, lda), lower, unit}, info);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;

extern "C" {

cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t h, cublasFillMode_t uplo, cublasDiagType_t diagonal,
                                             int64_t n, cudaDataType type, void*, int64_t lda, size_t* device,
                                             size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(uplo, diagonal, n, lda), 0, host));
  return with_type(type, [&](auto number) { return give_size(h, true, n * n * int64_t(sizeof number), device); });
}
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t h, cublasFillMode_t uplo, cublasDiagType_t diagonal, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, void* work, size_t bytes, void*, size_t,
                                  int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return trtri(h, uplo, diagonal, n, static_cast<T*>(a), lda, static_cast<T*>(work), int64_t(bytes / sizeof(T)),
                 info);
  });
}

}  // extern "C"
