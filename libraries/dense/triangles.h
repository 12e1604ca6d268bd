// Triangular systems. A block solves for one right side.
#pragma once

#include <type_traits>

#include "numbers.h"

namespace drywarp::dense {

// op(A), which is a triangle. Its steps and its conjugation are op's.
template <class T>
struct Triangle {
  View<T> a;
  bool lower, unit;
};

// op(A) x = x, whose elements are `step` apart: as each is known, what it adds to the others is taken off them.
template <class T>
__device__ void solve(const Triangle<T>& t, int64_t n, std::remove_const_t<T>* x, int64_t step) {
  using Value = std::remove_const_t<T>;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = t.lower ? k : n - 1 - k;
    if (threadIdx.x == 0 && !t.unit) x[i * step] /= t.a.get(i, i);
    __syncthreads();
    const Value known = x[i * step];
    for (int64_t other = threadIdx.x; other < n; other += blockDim.x)
      if (t.lower ? other > i : other < i) x[other * step] -= t.a.get(other, i) * known;
    __syncthreads();
  }
}

}  // namespace drywarp::dense
