// Vectors: elementwise kernels, and reductions in two steps whose order is always the same.
#pragma once

#include "handle.h"

namespace drywarp::cublas {

inline constexpr int kThreads = 256;
inline constexpr int64_t kMostBlocks = 1024;

template <class T>
struct Vector {
  T* data;
  int64_t stride;
};

// Calls f(i) for every i in [0, n), over the whole grid.
template <class F>
__device__ void for_elements(int64_t n, F&& f) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x) f(i);
}

// A reduction is a struct with the type that it computes with, the partial result of no element, of one, of two partial
// results, and the result.
template <class T>
struct Sum {
  using Value = T;
  using Partial = T;
  using Result = T;
  static __device__ Partial none() { return T(0); }
  static __device__ Partial both(Partial a, Partial b) { return a + b; }
  static __device__ Result result(Partial a) { return a; }
};
template <class T>
struct Dot : Sum<T> {
  static __device__ T one(int64_t, T x, T y) { return x * y; }
};
// scale * sqrt(sum): squares neither overflow nor underflow.
template <class T>
struct ScaledSum {
  T scale, sum;
};
template <class T>
struct Nrm2 {
  using Value = T;
  using Partial = ScaledSum<T>;
  using Result = T;
  static __device__ Partial none() { return {T(0), T(1)}; }
  static __device__ Partial one(int64_t, T x, T) { return {T(fabs(x)), T(1)}; }
  static __device__ Partial both(Partial a, Partial b) {
    if (a.scale == T(0)) return b;
    if (b.scale == T(0)) return a;
    if (a.scale < b.scale) {
      const Partial kept = a;
      a = b;
      b = kept;
    }
    if (a.scale > T(1.7e308)) return {a.scale, T(1)};  // infinite
    const T ratio = b.scale / a.scale;
    return {a.scale, a.sum + b.sum * ratio * ratio};
  }
  static __device__ Result result(Partial a) { return a.scale * sqrt(a.sum); }
};
// A float's square fits a double, and many of them lose nothing in its sum.
template <>
struct Nrm2<float> : Sum<double> {
  using Value = float;
  using Result = float;
  static __device__ double one(int64_t, float x, float) { return double(x) * double(x); }
  static __device__ float result(double a) { return float(sqrt(a)); }
};
template <class R>
__device__ typename R::Partial reduce_block(typename R::Partial mine) {
  __shared__ typename R::Partial shared[kThreads];
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = R::both(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  return shared[0];
}
template <class R, class T>
__global__ void reduce_elements(int64_t n, Vector<const T> x, Vector<const T> y, typename R::Partial* partials) {
  using Value = typename R::Value;
  typename R::Partial mine = R::none();
  for_elements(n, [&](int64_t i) {
    mine = R::both(mine, R::one(i, Value(x.data[place(i, n, x.stride)]), Value(y.data[place(i, n, y.stride)])));
  });
  mine = reduce_block<R>(mine);
  if (threadIdx.x == 0) partials[blockIdx.x] = mine;
}
template <class R>
__global__ void reduce_partials(int count, const typename R::Partial* partials, typename R::Result* result) {
  typename R::Partial mine = R::none();
  for (int i = threadIdx.x; i < count; i += kThreads) mine = R::both(mine, partials[i]);
  mine = reduce_block<R>(mine);
  if (threadIdx.x == 0) *result = R::result(mine);
}

// Waits for the result, if it goes to the host.
template <class R, class T>
cublasStatus_t reduce(cublasHandle_t handle, int64_t n, Vector<const T> x, Vector<const T> y,
                      typename R::Result* result) {
  using Result = typename R::Result;
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(result);
  const bool to_host = handle->pointers == CUBLAS_POINTER_MODE_HOST;
  if (n <= 0) {
    if (to_host)
      *result = Result(0);
    else
      return status_of(cudaMemsetAsync(result, 0, sizeof(Result), handle->stream));
    return CUBLAS_STATUS_SUCCESS;
  }
  static_assert(sizeof(typename R::Partial) <= kPartialBytes);
  auto* partials = static_cast<typename R::Partial*>(handle->partials);
  auto* on_device = reinterpret_cast<Result*>(static_cast<char*>(handle->partials) + kMostPartials * kPartialBytes);
  const unsigned blocks = blocks_for(n, kThreads * 4, kMostPartials);
  CUBLAS_TRY(launch(handle, reduce_elements<R, T>, blocks, kThreads, n, x, y, partials));
  CUBLAS_TRY(launch(handle, reduce_partials<R>, 1, kThreads, int(blocks),
                    static_cast<const typename R::Partial*>(partials), to_host ? on_device : result));
  if (!to_host) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_TRY(status_of(cudaMemcpyAsync(result, on_device, sizeof(Result), cudaMemcpyDeviceToHost, handle->stream)));
  return status_of(cudaStreamSynchronize(handle->stream));
}

// Elementwise: nothing to do for n <= 0.
#define CUBLAS_ELEMENTS(needs, kernel, ...)            \
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;     \
  CUBLAS_NEEDS(needs);                          \
  return launch(h, kernel, blocks_for(n, kThreads, kMostBlocks), kThreads, int64_t(n), __VA_ARGS__)

}  // namespace drywarp::cublas
