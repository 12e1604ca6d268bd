// Singular values by one-sided Jacobi rotations, which make a matrix's columns orthogonal. A block does one matrix.
#pragma once

#include "jacobi.h"

namespace drywarp::dense {

// What is wanted of a tall matrix A (m >= n) = L diag(values) R^H, and where it goes. A view without data: not wanted.
template <class T>
struct SingularTask {
  View<T> a;  // m x n; its columns are rotated in place
  int64_t m, n;
  Real<T>* values;
  View<T> left, right;
  int64_t left_columns;  // n or m
};
template <class T>
struct SingularWork {
  T* rotated;        // n x n: the product of the rotations
  Real<T>* lengths;  // n
  int *order;        // n
  int* turned;       // whether a sweep rotated a pair
};
template <class T>
__host__ __device__ int64_t singular_work(int64_t n) {  // in numbers of type T
  return n * n + 2 * (n + 1) + 1;
}
template <class T>
__device__ SingularWork<T> singular_work(T* memory, int64_t n) {
  T* const rest = memory + n * n;
  int* const order = reinterpret_cast<int*>(rest + (n + 1));
  return {memory, reinterpret_cast<Real<T>*>(rest), order, order + n};
}

// One pair of columns, by a warp. Columns that are nothing but rounding errors beside the longest are left as they are.
template <class T>
__device__ void make_orthogonal(const SingularTask<T>& task, const SingularWork<T>& work, Pair at, Real<T> tolerance,
                                Real<T> shortest) {
  using R = Real<T>;
  const View<T> a = task.a;
  const int lane = int(threadIdx.x) % 32;
  R pp = 0, qq = 0;
  T pq(0);
  for (int64_t i = lane; i < task.m; i += 32) {
    const T p = a.get(i, at.p), q = a.get(i, at.q);
    pp += square(p), qq += square(q), pq += conjugate(p) * q;
  }
  pp = sum_of_warp(pp), qq = sum_of_warp(qq), pq = sum_of_warp(pq);
  if (pp <= shortest || qq <= shortest || !(magnitude(pq) > tolerance * sqrt(pp) * sqrt(qq))) return;
  const Rotation<T> r = rotation<T>(pp, qq, pq);
  for (int64_t i = lane; i < task.m; i += 32) {
    T p = a.get(i, at.p), q = a.get(i, at.q);
    r.of_columns(p, q);
    a.set(i, at.p, p), a.set(i, at.q, q);
  }
  if (task.right.data)
    for (int64_t i = lane; i < task.n; i += 32)
      r.of_columns(work.rotated[at.p * task.n + i], work.rotated[at.q * task.n + i]);
  if (lane == 0) atomicOr(work.turned, 1);
}

// Columns [first, count) of the left vectors, of m elements: each a unit vector less what the columns before have of it,
// of the unit vector that these have least of.
template <class T>
__device__ void complete_basis(View<T> left, int64_t m, int64_t first, int64_t count) {
  using R = Real<T>;
  __shared__ int64_t best;
  for (int64_t column = first; column < count; ++column) {
    if (threadIdx.x < 32) {
      R least = 2;
      int64_t where = 0;
      for (int64_t i = threadIdx.x; i < m; i += 32) {
        R there = 0;
        for (int64_t j = 0; j < column; ++j) there += square(left.get(i, j));
        if (there < least) least = there, where = i;
      }
      for (int lanes = 16; lanes > 0; lanes /= 2) {
        const R other = shuffle_xor(least, lanes);
        const int64_t place = __shfl_xor_sync(0xffffffffu, static_cast<long long>(where), lanes);
        if (other < least || (other == least && place < where)) least = other, where = place;
      }
      if (threadIdx.x == 0) best = where;
    }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < m; i += blockDim.x) left.set(i, column, T(i == best ? 1 : 0));
    __syncthreads();
    for (int64_t id = 0; id < 2 * column; ++id) {  // twice: once leaves errors of the size of the first difference
      const int64_t other = id % column;
      R re = 0, im = 0;
      for (int64_t i = threadIdx.x; i < m; i += blockDim.x) {
        const T product = conjugate(left.get(i, other)) * left.get(i, column);
        re += real(product);
        if constexpr (Number<T>::kComplex) im += product.im;
      }
      re = sum_of_block(re);
      T share(re);
      if constexpr (Number<T>::kComplex) share.im = sum_of_block(im);
      for (int64_t i = threadIdx.x; i < m; i += blockDim.x)
        left.set(i, column, left.get(i, column) - share * left.get(i, other));
      __syncthreads();
    }
    R length = 0;
    for (int64_t i = threadIdx.x; i < m; i += blockDim.x) length += square(left.get(i, column));
    length = sqrt(sum_of_block(length));
    for (int64_t i = threadIdx.x; i < m; i += blockDim.x) left.set(i, column, left.get(i, column) / T(length));
    __syncthreads();
  }
}

template <class T>
__device__ Real<T> measure_columns(const SingularTask<T>& task, Real<T>* lengths) {
  using R = Real<T>;
  for (int64_t j = threadIdx.x / 32; j < task.n; j += blockDim.x / 32) {
    R sum = 0;
    for (int64_t i = threadIdx.x % 32; i < task.m; i += 32) sum += square(task.a.get(i, j));
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) lengths[j] = sqrt(sum);
  }
  __syncthreads();
  R longest = 0;
  for (int64_t j = 0; j < task.n; ++j) longest = lengths[j] > longest ? lengths[j] : longest;
  return longest;
}

// `info`: n + 1 if the sweeps did not suffice.
template <class T>
__device__ void find_singular_values(const SingularTask<T>& task, T* memory, const Limits& limits, int* info,
                                     Outcome* outcome) {
  using R = Real<T>;
  const SingularWork<T> work = singular_work(memory, task.n);
  const int64_t m = task.m, n = task.n;
  for (int64_t id = threadIdx.x; task.right.data && id < n * n; id += blockDim.x)
    work.rotated[id] = T(id / n == id % n ? 1 : 0);
  const R tolerance = limits.tolerance > double(epsilon<R>()) ? R(limits.tolerance) : R(4) * epsilon<R>();
  bool turned = n > 1;
  int sweep = 0;
  for (; sweep < limits.sweeps && turned; ++sweep) {
    const R noise = epsilon<R>() * measure_columns(task, work.lengths);
    if (threadIdx.x == 0) *work.turned = 0;
    __syncthreads();
    for (int64_t step = 0; step < steps_of_sweep(n); ++step) {
      for (int64_t id = threadIdx.x / 32; id < pairs_of_step(n); id += blockDim.x / 32) {
        const Pair at = pair_of(n, step, id);
        if (at.q < n) make_orthogonal(task, work, at, tolerance, noise * noise);
      }
      __syncthreads();
    }
    turned = *work.turned != 0;
    __syncthreads();
  }
  const R noise = epsilon<R>() * measure_columns(task, work.lengths);
  bool lost = false;  // these columns come last
  for (int64_t j = 0; j < n; ++j) lost = lost || work.lengths[j] <= noise;
  order_of(work.lengths, n, true, limits.sorted || lost, work.order);
  int64_t known = n;  // columns before the first whose direction is lost
  for (int64_t j = n - 1; j >= 0; --j)
    if (!(work.lengths[work.order[j]] > noise)) known = j;
  for (int64_t j = threadIdx.x; j < n; j += blockDim.x) task.values[j] = work.lengths[work.order[j]];
  if (task.right.data)
    for (int64_t id = threadIdx.x; id < n * n; id += blockDim.x)
      task.right.set(id % n, id / n, work.rotated[int64_t(work.order[id / n]) * n + id % n]);
  if (task.left.data) {
    for (int64_t id = threadIdx.x; id < m * known; id += blockDim.x) {
      const int64_t i = id % m, j = id / m, from = work.order[j];
      task.left.set(i, j, task.a.get(i, from) / T(work.lengths[from]));
    }
    __syncthreads();
    complete_basis(task.left, m, known, task.left_columns);
  }
  if (threadIdx.x == 0) {
    *info = turned && n > 1 && sweep == limits.sweeps ? int(n + 1) : 0;
    if (outcome) *outcome = {0, sweep};
  }
}

}  // namespace drywarp::dense
