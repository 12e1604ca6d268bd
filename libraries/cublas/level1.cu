// Vectors of one type: elementwise operations and reductions.
#include "vectors.h"

namespace drywarp::cublas {
namespace {

template <class T>
__global__ void axpy(int64_t n, Scalar<T> alpha, Vector<const T> x, Vector<T> y) {
  const T a = alpha.get();
  for_elements(n, [&](int64_t i) { y.data[place(i, n, y.stride)] += a * x.data[place(i, n, x.stride)]; });
}
template <class T>
__global__ void scal(int64_t n, Scalar<T> alpha, Vector<T> x) {
  const T a = alpha.get();
  for_elements(n, [&](int64_t i) { x.data[i * x.stride] *= a; });
}
template <class T>
__global__ void copy(int64_t n, Vector<const T> x, Vector<T> y) {
  for_elements(n, [&](int64_t i) { y.data[place(i, n, y.stride)] = x.data[place(i, n, x.stride)]; });
}
template <class T>
__global__ void swap(int64_t n, Vector<T> x, Vector<T> y) {
  for_elements(n, [&](int64_t i) {
    T &a = x.data[place(i, n, x.stride)], &b = y.data[place(i, n, y.stride)];
    const T kept = a;
    a = b;
    b = kept;
  });
}
template <class T>
__global__ void rot(int64_t n, Vector<T> x, Vector<T> y, Scalar<T> cosine, Scalar<T> sine) {
  const T c = cosine.get(), s = sine.get();
  for_elements(n, [&](int64_t i) {
    T &a = x.data[place(i, n, x.stride)], &b = y.data[place(i, n, y.stride)];
    const T old = a;
    a = c * old + s * b;
    b = c * b - s * old;
  });
}

template <class T>
struct Asum : Sum<T> {
  static __device__ T one(int64_t, T x, T) { return fabs(x); }
};
// The first of the largest, counted from 1; of none, 0.
template <class T>
struct Place {
  T value;
  int64_t at;
};
template <class T, bool Largest, class Int>
struct Extreme {
  using Value = T;
  using Partial = Place<T>;
  using Result = Int;
  static __device__ Partial none() { return {T(0), -1}; }
  static __device__ Partial one(int64_t i, T x, T) { return {T(fabs(x)), i}; }
  static __device__ Partial both(Partial a, Partial b) {
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    const bool better = Largest ? b.value > a.value : b.value < a.value;
    return better || (b.value == a.value && b.at < a.at) ? b : a;
  }
  static __device__ Result result(Partial a) { return Int(a.at + 1); }
};

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

#define LEVEL1(P, p, T, Form, Int)                                                                             \
  cublasStatus_t cublas##P##axpy_v2##Form(cublasHandle_t h, Int n, const T* alpha, const T* x, Int incx, T* y, \
                                          Int incy) {                                                          \
    CUBLAS_ELEMENTS(alpha&& x&& y, axpy<T>, scalar(h, alpha), Vector<const T>{x, incx}, Vector<T>{y, incy});          \
  }                                                                                                            \
  cublasStatus_t cublas##P##scal_v2##Form(cublasHandle_t h, Int n, const T* alpha, T* x, Int incx) {           \
    if (h && incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                          \
    CUBLAS_ELEMENTS(alpha&& x, scal<T>, scalar(h, alpha), Vector<T>{x, incx});                                        \
  }                                                                                                            \
  cublasStatus_t cublas##P##copy_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* y, Int incy) {     \
    CUBLAS_ELEMENTS(x&& y, copy<T>, Vector<const T>{x, incx}, Vector<T>{y, incy});                                    \
  }                                                                                                            \
  cublasStatus_t cublas##P##swap_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy) {           \
    CUBLAS_ELEMENTS(x&& y, swap<T>, Vector<T>{x, incx}, Vector<T>{y, incy});                                          \
  }                                                                                                            \
  cublasStatus_t cublas##P##rot_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const T* c,  \
                                         const T* s) {                                                         \
    CUBLAS_ELEMENTS(x&& y&& c&& s, rot<T>, Vector<T>{x, incx}, Vector<T>{y, incy}, scalar(h, c), scalar(h, s));       \
  }                                                                                                            \
  cublasStatus_t cublas##P##dot_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy,  \
                                         T* result) {                                                          \
    return reduce<Dot<T>, T>(h, n, {x, incx}, {y, incy}, result);                                              \
  }                                                                                                            \
  cublasStatus_t cublas##P##nrm2_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* result) {          \
    return reduce<Nrm2<T>, T>(h, incx > 0 ? n : 0, {x, incx}, {x, incx}, result);                              \
  }                                                                                                            \
  cublasStatus_t cublas##P##asum_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* result) {          \
    return reduce<Asum<T>, T>(h, incx > 0 ? n : 0, {x, incx}, {x, incx}, result);                              \
  }                                                                                                            \
  cublasStatus_t cublasI##p##amax_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result) {       \
    return reduce<Extreme<T, true, Int>, T>(h, incx > 0 ? n : 0, {x, incx}, {x, incx}, result);                \
  }                                                                                                            \
  cublasStatus_t cublasI##p##amin_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result) {       \
    return reduce<Extreme<T, false, Int>, T>(h, incx > 0 ? n : 0, {x, incx}, {x, incx}, result);               \
  }

extern "C" {
LEVEL1(S, s, float, , int)
LEVEL1(S, s, float, _64, int64_t)
LEVEL1(D, d, double, , int)
LEVEL1(D, d, double, _64, int64_t)
}
