// Jacobi's rotations, which both eigenvalues and singular values are found with: in each step of a sweep, every row
// (or column) is paired with another, so that a block rotates all pairs of a step at once.
#pragma once

#include "numbers.h"

namespace drywarp::dense {

// Pair `pair` of step `step` of a sweep over n: a round-robin tournament. An odd n leaves one out in each step: q >= n.
struct Pair {
  int64_t p, q;
};
__device__ inline int64_t pairs_of_step(int64_t n) { return (n + 1) / 2; }
__device__ inline int64_t steps_of_sweep(int64_t n) { return n < 2 ? 0 : (n + 1) / 2 * 2 - 1; }
__device__ inline Pair pair_of(int64_t n, int64_t step, int64_t pair) {
  const int64_t circle = steps_of_sweep(n);
  const int64_t one = (step + pair) % circle, other = pair == 0 ? circle : (step + circle - pair) % circle;
  return one < other ? Pair{one, other} : Pair{other, one};
}

// The unitary J = [c, s; -s u, c u] that makes J^H [pp, pq; conj(pq), qq] J diagonal; u is conj(pq) / |pq|.
template <class T>
struct Rotation {
  Real<T> c, s;
  T u;
  // Elements p and q of a row of A J.
  __device__ void of_columns(T& p, T& q) const {
    const T turned = u * q, before = p;
    p = T(c) * before - T(s) * turned;
    q = T(s) * before + T(c) * turned;
  }
  // Elements p and q of a column of J^H A.
  __device__ void of_rows(T& p, T& q) const {
    const T turned = conjugate(u) * q, before = p;
    p = T(c) * before - T(s) * turned;
    q = T(s) * before + T(c) * turned;
  }
};
template <class T>
__device__ Rotation<T> rotation(Real<T> pp, Real<T> qq, T pq) {
  using R = Real<T>;
  const R size = magnitude(pq);
  if (size == R(0)) return {R(1), R(0), T(1)};
  const R theta = (qq - pp) / (R(2) * size);
  const R t = (theta >= R(0) ? R(1) : R(-1)) / (fabs(theta) + sqrt(theta * theta + R(1)));
  const R c = R(1) / sqrt(t * t + R(1));
  T u = conjugate(pq);
  if constexpr (Number<T>::kComplex)
    u.re /= size, u.im /= size;
  else
    u /= size;
  return {c, t * c, u};
}

// The sum over a block, for all its threads.
template <class R>
__device__ R sum_of_block(R mine) {
  __shared__ R sums[32];
  mine = sum_of_warp(mine);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
  __syncthreads();
  R all = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) all += sums[warp];
  __syncthreads();
  return all;
}

// The places of values in their order, ascending or descending; equal ones in the order in which they lie.
template <class R>
__device__ void order_of(const R* values, int64_t n, bool descending, bool sorted, int* order) {
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    int64_t before = 0;
    for (int64_t j = 0; j < n; ++j)
      before += (descending ? values[j] > values[i] : values[j] < values[i]) || (values[j] == values[i] && j < i);
    order[sorted ? before : i] = int(i);
  }
  __syncthreads();
}

// What the iteration did, for who asks.
struct Outcome {
  double residual;
  int sweeps;
};
struct Limits {
  double tolerance;  // 0: the numbers' precision
  int sweeps;
  bool sorted;
};

}  // namespace drywarp::dense
