// Vectors of one type: elementwise operations and reductions.
#include "../dense/numbers.h"
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
struct ConjugatedDot : Sum<T> {
  static __device__ T one(int64_t, T x, T y) { return dense::conjugate(x) * y; }
};
// A real factor of complex numbers.
template <class T>
__global__ void scal_real(int64_t n, Scalar<dense::Real<T>> alpha, Vector<T> x) {
  const dense::Real<T> a = alpha.get();
  for_elements(n, [&](int64_t i) {
    T& to = x.data[i * x.stride];
    to.re *= a, to.im *= a;
  });
}

// Of complex numbers the sum of |re| + |im|.
template <class T>
struct Asum : Sum<dense::Real<T>> {
  using Value = T;
  static __device__ dense::Real<T> one(int64_t, T x, T) { return dense::size_of_pivot(x); }
};
template <class T>
struct ComplexNrm2 : Nrm2<dense::Real<T>> {
  using Value = T;
  using Parts = Nrm2<dense::Real<T>>;
  static __device__ typename Parts::Partial one(int64_t i, T x, T) {
    return Parts::both(Parts::one(i, x.re, x.re), Parts::one(i, x.im, x.im));
  }
};
// The first of the largest, counted from 1; of none, 0.
template <class T>
struct Place {
  dense::Real<T> value;
  int64_t at;
};
template <class T, bool Largest, class Int>
struct Extreme {
  using Value = T;
  using Partial = Place<T>;
  using Result = Int;
  static __device__ Partial none() { return {dense::Real<T>(0), -1}; }
  static __device__ Partial one(int64_t i, T x, T) { return {dense::size_of_pivot(x), i}; }
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

using drywarp::dense::Complex;
using drywarp::dense::numbers;
using drywarp::dense::Real;

#define LEVEL1(P, T, N, Form, Int)                                                                             \
  cublasStatus_t cublas##P##axpy_v2##Form(cublasHandle_t h, Int n, const T* alpha, const T* x, Int incx, T* y, \
                                          Int incy) {                                                          \
    CUBLAS_ELEMENTS(alpha&& x&& y, axpy<N>, scalar(h, numbers(alpha)), Vector<const N>{numbers(x), incx},      \
                    Vector<N>{numbers(y), incy});                                                              \
  }                                                                                                            \
  cublasStatus_t cublas##P##scal_v2##Form(cublasHandle_t h, Int n, const T* alpha, T* x, Int incx) {           \
    if (h && incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                          \
    CUBLAS_ELEMENTS(alpha&& x, scal<N>, scalar(h, numbers(alpha)), Vector<N>{numbers(x), incx});               \
  }                                                                                                            \
  cublasStatus_t cublas##P##copy_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* y, Int incy) {     \
    CUBLAS_ELEMENTS(x&& y, copy<N>, Vector<const N>{numbers(x), incx}, Vector<N>{numbers(y), incy});           \
  }                                                                                                            \
  cublasStatus_t cublas##P##swap_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy) {           \
    CUBLAS_ELEMENTS(x&& y, swap<N>, Vector<N>{numbers(x), incx}, Vector<N>{numbers(y), incy});                 \
  }
// Q: the letters of functions whose result is real; q: of those whose result is a place.
#define REDUCTIONS(Q, q, T, N, Nrm2, Form, Int)                                                                       \
  cublasStatus_t cublas##Q##nrm2_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Real<N>* result) {           \
    return reduce<Nrm2<N>, N>(h, incx > 0 ? n : 0, {numbers(x), incx}, {numbers(x), incx}, result);                   \
  }                                                                                                                   \
  cublasStatus_t cublas##Q##asum_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Real<N>* result) {           \
    return reduce<Asum<N>, N>(h, incx > 0 ? n : 0, {numbers(x), incx}, {numbers(x), incx}, result);                   \
  }                                                                                                                   \
  cublasStatus_t cublasI##q##amax_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result) {              \
    return reduce<Extreme<N, true, Int>, N>(h, incx > 0 ? n : 0, {numbers(x), incx}, {numbers(x), incx}, result);     \
  }                                                                                                                   \
  cublasStatus_t cublasI##q##amin_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result) {              \
    return reduce<Extreme<N, false, Int>, N>(h, incx > 0 ? n : 0, {numbers(x), incx}, {numbers(x), incx}, result);    \
  }
#define REAL(P, T, Form, Int)                                                                                     \
  cublasStatus_t cublas##P##rot_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const T* c,     \
                                         const T* s) {                                                            \
    CUBLAS_ELEMENTS(x&& y&& c&& s, rot<T>, Vector<T>{x, incx}, Vector<T>{y, incy}, scalar(h, c), scalar(h, s));   \
  }                                                                                                               \
  cublasStatus_t cublas##P##dot_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy,     \
                                         T* result) {                                                             \
    return reduce<Dot<T>, T>(h, n, {x, incx}, {y, incy}, result);                                                 \
  }
#define COMPLEX(P, r, T, N, Form, Int)                                                                             \
  cublasStatus_t cublas##P##r##scal_v2##Form(cublasHandle_t h, Int n, const Real<N>* alpha, T* x, Int incx) {      \
    if (h && incx <= 0) return CUBLAS_STATUS_SUCCESS;                                                              \
    CUBLAS_ELEMENTS(alpha&& x, scal_real<N>, scalar(h, alpha), Vector<N>{numbers(x), incx});                       \
  }                                                                                                                \
  cublasStatus_t cublas##P##dotu_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy,     \
                                          T* result) {                                                             \
    return reduce<Dot<N>, N>(h, n, {numbers(x), incx}, {numbers(y), incy}, numbers(result));                       \
  }                                                                                                                \
  cublasStatus_t cublas##P##dotc_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy,     \
                                          T* result) {                                                             \
    return reduce<ConjugatedDot<N>, N>(h, n, {numbers(x), incx}, {numbers(y), incy}, numbers(result));             \
  }
#define OF_FORM(Form, Int)                                                      \
  LEVEL1(S, float, float, Form, Int)                                            \
  LEVEL1(D, double, double, Form, Int)                                          \
  LEVEL1(C, cuComplex, Complex<float>, Form, Int)                               \
  LEVEL1(Z, cuDoubleComplex, Complex<double>, Form, Int)                        \
  REDUCTIONS(S, s, float, float, Nrm2, Form, Int)                               \
  REDUCTIONS(D, d, double, double, Nrm2, Form, Int)                             \
  REDUCTIONS(Sc, c, cuComplex, Complex<float>, ComplexNrm2, Form, Int)          \
  REDUCTIONS(Dz, z, cuDoubleComplex, Complex<double>, ComplexNrm2, Form, Int)   \
  REAL(S, float, Form, Int)                                                     \
  REAL(D, double, Form, Int)                                                    \
  COMPLEX(C, s, cuComplex, Complex<float>, Form, Int)                           \
  COMPLEX(Z, d, cuDoubleComplex, Complex<double>, Form, Int)

extern "C" {
OF_FORM(, int)
OF_FORM(_64, int64_t)
}
