// Householder reflectors H = I - tau v v^H, as LAPACK's geqrf keeps them: v below the diagonal, with a 1 on it.
#pragma once

#include "numbers.h"

namespace drywarp::dense {

// Which of H_1 ... H_count are applied to a vector, in which order, and how.
struct Sequence {
  bool backward;    // H_count first
  bool adjoint;     // H^H instead of H
  bool of_row;      // the vector is a row, multiplied from the right
};

// Applies one reflector to a vector of m elements, `step` apart, by a warp.
template <class T>
__device__ void reflect(View<const T> v, T tau, int64_t k, int64_t m, T* x, int64_t step, bool conjugated) {
  const int lane = int(threadIdx.x) % 32;
  T sum(0);
  for (int64_t i = k + lane; i < m; i += 32) {
    const T of_v = i == k ? T(1) : v.get(i, k);
    sum += (conjugated ? of_v : conjugate(of_v)) * x[i * step];
  }
  const T factor = tau * sum_of_warp(sum);
  for (int64_t i = k + lane; i < m; i += 32) {
    const T of_v = i == k ? T(1) : v.get(i, k);
    x[i * step] -= factor * conjugate_if(conjugated, of_v);
  }
  __syncwarp();
}

// Reflectors [first, first + count), of which the first begins at row `first`.
template <class T>
__device__ void reflect_all(Sequence how, View<const T> v, const T* tau, int64_t first, int64_t count, int64_t m, T* x,
                            int64_t step) {
  for (int64_t id = 0; id < count; ++id) {
    const int64_t k = first + (how.backward ? count - 1 - id : id);
    reflect(v, conjugate_if(how.adjoint, tau[k]), k, m, x, step, how.of_row);
  }
}

// The reflector that makes column k zero below the diagonal, by a block. Column k keeps it.
template <class T>
__device__ T make_reflector(View<T> a, int64_t m, int64_t k) {
  __shared__ Real<T> below;
  if (threadIdx.x < 32) {
    Real<T> sum = 0;
    for (int64_t i = k + 1 + threadIdx.x; i < m; i += 32) sum += square(a.get(i, k));
    sum = sum_of_warp(sum);
    if (threadIdx.x == 0) below = sum;
  }
  __syncthreads();
  const T alpha = a.get(k, k);
  const Real<T> length = sqrt(square(alpha) + below);
  const bool zero = below == 0 && alpha == T(real(alpha));
  __syncthreads();
  if (zero) return T(0);
  const Real<T> beta = real(alpha) > 0 ? -length : length;
  const T scale = T(1) / (alpha - T(beta));
  for (int64_t i = k + threadIdx.x; i < m; i += blockDim.x) a.set(i, k, i == k ? T(beta) : a.get(i, k) * scale);
  __syncthreads();
  return (T(beta) - alpha) / T(beta);
}

// Factors columns [first, first + width).
template <class T>
__device__ void factor_orthogonal_columns(View<T> a, int64_t m, int64_t first, int64_t width, T* tau) {
  const int64_t end = first + width;
  for (int64_t k = first; k < end; ++k) {
    const T factor = make_reflector(a, m, k);
    if (threadIdx.x == 0) tau[k] = factor;
    const View<const T> v{a.data, a.row, a.column, a.conjugated};
    for (int64_t j = k + 1 + threadIdx.x / 32; j < end; j += blockDim.x / 32)
      reflect(v, conjugate(factor), k, m, a.data + j * a.column, a.row, false);
    __syncthreads();
  }
}

}  // namespace drywarp::dense
