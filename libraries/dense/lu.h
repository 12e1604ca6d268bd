// LU factors with row exchanges, as LAPACK's getrf and getrs define them. A block factors columns, or solves for one side.
#pragma once

#include <type_traits>

#include "triangles.h"

namespace drywarp::dense {

// What a block keeps in shared memory to find a pivot.
inline constexpr int kMostPivotThreads = 256;

// The row of the largest element of column k from row k on; the first of several. For all threads.
template <class T>
__device__ int64_t find_pivot(View<T> a, int64_t m, int64_t k) {
  __shared__ Real<T> largest[kMostPivotThreads];
  __shared__ int64_t where[kMostPivotThreads];
  const int me = int(threadIdx.x);
  Real<T> most = Real<T>(-1);
  int64_t at = k;
  for (int64_t i = k + me; i < m; i += blockDim.x) {
    const Real<T> size = size_of_pivot(a.get(i, k));
    if (size > most) most = size, at = i;
  }
  largest[me] = most, where[me] = at;
  __syncthreads();
  for (int half = int(blockDim.x) / 2; half > 0; half /= 2) {
    if (me < half && (largest[me + half] > largest[me] ||
                      (largest[me + half] == largest[me] && where[me + half] < where[me])))
      largest[me] = largest[me + half], where[me] = where[me + half];
    __syncthreads();
  }
  const int64_t pivot = where[0];
  __syncthreads();
  return pivot;
}

template <class T>
__device__ void exchange_rows(View<T> a, int64_t row, int64_t other, int64_t begin, int64_t end) {
  for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) {
    const T kept = a.get(row, j);
    a.set(row, j, a.get(other, j)), a.set(other, j, kept);
  }
}

// Factors columns [first, first + width) of the m x n matrix, from row `first` on, and exchanges rows in these columns
// alone. `pivots` (if not null) counts rows from 1; `zero_pivot` becomes the first column, from 1, whose pivot is 0.
template <class T, class Int>
__device__ void factor_columns(View<T> a, int64_t m, int64_t first, int64_t width, Int* pivots, int* zero_pivot) {
  const int64_t end = first + width;
  for (int64_t k = first; k < end && k < m; ++k) {
    if (pivots) {
      const int64_t pivot = find_pivot(a, m, k);
      if (threadIdx.x == 0) pivots[k] = Int(pivot + 1);
      if (pivot != k) exchange_rows(a, k, pivot, first, end);
    }
    __syncthreads();
    const T diagonal = a.get(k, k);
    if (diagonal == T(0)) {
      if (threadIdx.x == 0 && *zero_pivot == 0) *zero_pivot = int(k + 1);
      continue;
    }
    for (int64_t i = k + 1 + threadIdx.x; i < m; i += blockDim.x) a.set(i, k, a.get(i, k) / diagonal);
    __syncthreads();
    const int64_t rows = m - k - 1, rest = end - k - 1;
    for (int64_t id = threadIdx.x; id < rows * rest; id += blockDim.x) {
      const int64_t i = k + 1 + id % rows, j = k + 1 + id / rows;
      a.set(i, j, a.get(i, j) - a.get(i, k) * a.get(k, j));
    }
    __syncthreads();
  }
}

// op(A) x = x from A's factors; `pivots` may be null.
template <class T, class Int>
__device__ void solve_factored(View<const T> a, bool transposed, bool conjugated, int64_t n, const Int* pivots, T* x) {
  const auto exchange = [&](int64_t k) {
    const int64_t other = int64_t(pivots[k]) - 1;
    const T kept = x[k];
    x[k] = x[other], x[other] = kept;
  };
  if (!transposed && pivots && threadIdx.x == 0)
    for (int64_t k = 0; k < n; ++k) exchange(k);
  __syncthreads();
  if (transposed) {
    const View<const T> across{a.data, a.column, a.row, conjugated};
    solve(Triangle<const T>{across, true, false}, n, x, 1);
    solve(Triangle<const T>{across, false, true}, n, x, 1);
  } else {
    solve(Triangle<const T>{a, true, true}, n, x, 1);
    solve(Triangle<const T>{a, false, false}, n, x, 1);
  }
  if (transposed && pivots && threadIdx.x == 0)
    for (int64_t k = n; k-- > 0;) exchange(k);
  __syncthreads();
}

}  // namespace drywarp::dense
