// Eigenvalues and eigenvectors of a Hermitian matrix by two-sided Jacobi rotations. A block does one matrix.
#pragma once

#include "jacobi.h"

namespace drywarp::dense {

// Memory of one matrix's computation.
template <class T>
struct EigenWork {
  T* full;                 // n x n: the whole matrix, then a copy of the vectors
  T* units;                // n / 2 + 1: of a step's rotations
  Real<T>*cosines, *sines, *values;  // n + 1 of each
  int* order;              // n
};
template <class T>
__host__ __device__ int64_t eigen_work(int64_t n) {  // in numbers of type T
  return n * n + 6 * (n + 1);
}
template <class T>
__device__ EigenWork<T> eigen_work(T* work, int64_t n) {
  T* const units = work + n * n;
  return {work, units, reinterpret_cast<Real<T>*>(units + (n + 1)), reinterpret_cast<Real<T>*>(units + 2 * (n + 1)),
          reinterpret_cast<Real<T>*>(units + 3 * (n + 1)), reinterpret_cast<int*>(units + 4 * (n + 1))};
}

template <class T>
__device__ Real<T> square_off_diagonal(const T* a, int64_t n) {
  Real<T> sum = 0;
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x)
    if (id / n != id % n) sum += square(a[id]);
  return sum_of_block(sum);
}

// One step: the rotations of all its pairs, from the left and from the right. `vectors` may be null.
template <class T>
__device__ void rotate_pairs(const EigenWork<T>& work, int64_t n, int64_t step, T* vectors, int64_t ld) {
  const int64_t pairs = pairs_of_step(n), lane = threadIdx.x % 32, warps = blockDim.x / 32;
  T* const a = work.full;
  for (int64_t id = threadIdx.x; id < pairs; id += blockDim.x) {
    const Pair at = pair_of(n, step, id);
    const Rotation<T> r = at.q < n ? rotation<T>(real(a[at.p * n + at.p]), real(a[at.q * n + at.q]), a[at.q * n + at.p])
                                   : Rotation<T>{1, 0, T(1)};
    work.cosines[id] = r.c, work.sines[id] = r.s, work.units[id] = r.u;
  }
  __syncthreads();
  for (int64_t id = threadIdx.x / 32; id < pairs; id += warps) {
    const Pair at = pair_of(n, step, id);
    if (at.q >= n || work.sines[id] == 0) continue;
    const Rotation<T> r{work.cosines[id], work.sines[id], work.units[id]};
    for (int64_t i = lane; i < n; i += 32) r.of_columns(a[at.p * n + i], a[at.q * n + i]);
    if (vectors)
      for (int64_t i = lane; i < n; i += 32) r.of_columns(vectors[at.p * ld + i], vectors[at.q * ld + i]);
  }
  __syncthreads();
  for (int64_t id = threadIdx.x; id < pairs * n; id += blockDim.x) {
    const int64_t column = id / pairs, pair = id % pairs;
    const Pair at = pair_of(n, step, pair);
    if (at.q >= n || work.sines[pair] == 0) continue;
    const Rotation<T> r{work.cosines[pair], work.sines[pair], work.units[pair]};
    r.of_rows(a[column * n + at.p], a[column * n + at.q]);
    if (column == at.q) a[column * n + at.p] = T(0);
    if (column == at.p) a[column * n + at.q] = T(0);
  }
  __syncthreads();
}

// A becomes its eigenvectors if they are wanted; `info`: n + 1 if the sweeps did not suffice.
template <class T>
__device__ void find_eigenvalues(View<T> lower, int64_t n, bool want_vectors, T* a, int64_t ld, Real<T>* values,
                                 T* memory, const Limits& limits, int* info, Outcome* outcome) {
  using R = Real<T>;
  const EigenWork<T> work = eigen_work(memory, n);
  R all = 0;
  for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) {
    const int64_t i = id % n, j = id / n;
    const T value = i > j ? lower.get(i, j) : i == j ? T(real(lower.get(i, i))) : conjugate(lower.get(j, i));
    work.full[id] = value;
    all += square(value);
  }
  all = sum_of_block(all);
  if (want_vectors)
    for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) a[id / n * ld + id % n] = T(id / n == id % n ? 1 : 0);
  __syncthreads();
  const R tolerance = limits.tolerance > double(epsilon<R>()) ? R(limits.tolerance) : epsilon<R>();
  R off = square_off_diagonal(work.full, n);
  int sweep = 0;
  for (; sweep < limits.sweeps && off > tolerance * tolerance * all; ++sweep) {
    for (int64_t step = 0; step < steps_of_sweep(n); ++step)
      rotate_pairs(work, n, step, want_vectors ? a : nullptr, ld);
    off = square_off_diagonal(work.full, n);
  }
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) work.values[i] = real(work.full[i * n + i]);
  __syncthreads();
  order_of(work.values, n, false, limits.sorted, work.order);
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) values[i] = work.values[work.order[i]];
  if (want_vectors) {
    for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x) work.full[id] = a[id / n * ld + id % n];
    __syncthreads();
    for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x)
      a[id / n * ld + id % n] = work.full[int64_t(work.order[id / n]) * n + id % n];
  }
  if (threadIdx.x == 0) {
    *info = off > tolerance * tolerance * all ? int(n + 1) : 0;
    if (outcome) *outcome = {sqrt(double(off)), sweep};
  }
}

}  // namespace drywarp::dense
