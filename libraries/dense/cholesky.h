// The Cholesky factor of a Hermitian matrix, as LAPACK's potrf defines it. A block factors columns.
#pragma once

#include "triangles.h"

namespace drywarp::dense {

// A as a lower triangle: an upper one is its adjoint.
template <class T>
__host__ __device__ View<T> lower_triangle(T* a, int64_t ld, bool upper) {
  return upper ? columns(a, ld).adjoint() : columns(a, ld);
}

// Factors columns [first, first + width) of the lower triangle, from which the columns before are already subtracted.
// `not_positive` becomes the first column, from 1, whose pivot is not positive; then the rest is left as it is.
template <class T>
__device__ void factor_positive_columns(View<T> a, int64_t n, int64_t first, int64_t width, int* not_positive) {
  const int64_t end = first + width;
  for (int64_t k = first; k < end; ++k) {
    const Real<T> pivot = real(a.get(k, k));
    __syncthreads();
    if (!(pivot > 0)) {
      if (threadIdx.x == 0) *not_positive = int(k + 1);
      return;
    }
    const T root(sqrt(pivot));
    for (int64_t i = k + threadIdx.x; i < n; i += blockDim.x) a.set(i, k, i == k ? root : a.get(i, k) / root);
    __syncthreads();
    const int64_t rows = n - k - 1, rest = end - k - 1;
    for (int64_t id = threadIdx.x; id < rows * rest; id += blockDim.x) {
      const int64_t i = k + 1 + id % rows, j = k + 1 + id / rows;
      if (i >= j) a.set(i, j, a.get(i, j) - a.get(i, k) * conjugate(a.get(j, k)));
    }
    __syncthreads();
  }
}

// A x = x from A's Cholesky factor.
template <class T>
__device__ void solve_positive(View<const T> lower, int64_t n, T* x) {
  solve(Triangle<const T>{lower, true, false}, n, x, 1);
  solve(Triangle<const T>{lower.adjoint(), false, false}, n, x, 1);
}

}  // namespace drywarp::dense
