// Givens' rotations and modified ones. Of one pair of numbers they are made where the program keeps the numbers.
#include "../dense/numbers.h"
#include "vectors.h"

namespace drywarp::cublas {
namespace {

using dense::Complex;

template <class T>
__host__ __device__ T absolute(T x) {
  return x < T(0) ? -x : x;
}
// |(x, y)| without overflow.
template <class R>
__host__ __device__ R length(R x, R y) {
  const R scale = absolute(x) + absolute(y);
  if (scale == R(0)) return R(0);
  x /= scale, y /= scale;
  return scale * sqrt(x * x + y * y);
}

template <class T>
__host__ __device__ void make_rotation(T& a, T& b, T& c, T& s) {
  const bool first = absolute(a) > absolute(b);
  const T size = length(a, b), r = (first ? a : b) < T(0) ? -size : size;
  c = r == T(0) ? T(1) : a / r, s = r == T(0) ? T(0) : b / r;
  b = r == T(0) ? T(0) : first ? s : c != T(0) ? T(1) / c : T(1);  // from which c and s can be found again
  a = r;
}
template <class R>
__host__ __device__ void make_rotation(Complex<R>& a, const Complex<R>& b, R& c, Complex<R>& s) {
  const R size = length(a.re, a.im);
  if (size == R(0)) {
    c = R(0), s = Complex<R>(1), a = b;
    return;
  }
  const R norm = length(size, length(b.re, b.im));
  const Complex<R> phase(a.re / size, a.im / size), product = phase * dense::conjugate(b);
  c = size / norm, s = Complex<R>(product.re / norm, product.im / norm);
  a = Complex<R>(phase.re * norm, phase.im * norm);
}

// (x, y) = H (x, y), of which the flag says which elements are given: none (-2), all (-1), those beside the diagonal (0),
// those on it (1). The order is BLAS's.
template <class T>
struct Modified {
  T flag, h11, h21, h12, h22;
  __host__ __device__ Modified full() const {
    if (flag == T(-2)) return {flag, T(1), T(0), T(0), T(1)};
    if (flag == T(0)) return {flag, T(1), h21, h12, T(1)};
    if (flag == T(1)) return {flag, h11, T(-1), T(1), h22};
    return *this;
  }
};
// Powers of 4096 keep d1 and d2 between its square's inverse and its square.
template <class T>
__host__ __device__ void rescale(Modified<T>& h, T& d, T& first, T& second, T& x, bool scales_x) {
  constexpr T kStep = T(4096), kSquare = kStep * kStep;
  while (d != T(0) && (absolute(d) <= T(1) / kSquare || absolute(d) >= kSquare)) {
    h = h.full();
    h.flag = T(-1);
    const bool small = absolute(d) <= T(1) / kSquare;
    d = small ? d * kSquare : d / kSquare;
    if (scales_x) x = small ? x / kStep : x * kStep;
    first = small ? first / kStep : first * kStep, second = small ? second / kStep : second * kStep;
  }
}
template <class T>
__host__ __device__ void make_modified(T& d1, T& d2, T& x1, T y1, Modified<T>& h) {
  const T zero(0);
  const auto nothing = [&] { h = {T(-1), zero, zero, zero, zero}, d1 = d2 = x1 = zero; };
  if (d1 < zero) return nothing();
  const T p2 = d2 * y1;
  if (p2 == zero) {
    h.flag = T(-2);
    return;
  }
  const T p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
  if (absolute(q1) > absolute(q2)) {
    h.h21 = -y1 / x1, h.h12 = p2 / p1;
    const T u = T(1) - h.h12 * h.h21;
    if (!(u > zero)) return nothing();
    h.flag = zero, d1 /= u, d2 /= u, x1 *= u;
  } else {
    if (q2 < zero) return nothing();
    h.flag = T(1), h.h11 = p1 / p2, h.h22 = x1 / y1;
    const T u = T(1) + h.h11 * h.h22, kept = d2 / u;
    d2 = d1 / u, d1 = kept, x1 = y1 * u;
  }
  rescale(h, d1, h.h11, h.h12, x1, true);
  rescale(h, d2, h.h21, h.h22, x1, false);
}

template <class T, class C>
__global__ void rotg(T* a, T* b, C* c, T* s) {
  make_rotation(*a, *b, *c, *s);
}
template <class T>
__global__ void rotmg(T* d1, T* d2, T* x1, const T* y1, Modified<T>* h) {
  make_modified(*d1, *d2, *x1, *y1, *h);
}
template <class T>
__global__ void rotm(int64_t n, Vector<T> x, Vector<T> y, Scalar<Modified<T>> given) {
  const Modified<T> h = given.get().full();
  for_elements(n, [&](int64_t i) {
    T &a = x.data[place(i, n, x.stride)], &b = y.data[place(i, n, y.stride)];
    const T old = a;
    a = h.h11 * old + h.h12 * b;
    b = h.h21 * old + h.h22 * b;
  });
}
template <class T, class S>
__global__ void rot_complex(int64_t n, Vector<T> x, Vector<T> y, Scalar<dense::Real<T>> cosine, Scalar<S> sine) {
  const T c = T(cosine.get()), s = T(sine.get());
  for_elements(n, [&](int64_t i) {
    T &a = x.data[place(i, n, x.stride)], &b = y.data[place(i, n, y.stride)];
    const T old = a;
    a = c * old + s * b;
    b = c * b - dense::conjugate(s) * old;
  });
}

template <class T, class C>
cublasStatus_t run_rotg(cublasHandle_t h, T* a, T* b, C* c, T* s) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(a && b && c && s);
  if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return launch(h, rotg<T, C>, 1, 1, a, b, c, s);
  make_rotation(*a, *b, *c, *s);
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t run_rotmg(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* param) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(d1 && d2 && x1 && y1 && param);
  auto* const made = reinterpret_cast<Modified<T>*>(param);
  if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return launch(h, rotmg<T>, 1, 1, d1, d2, x1, y1, made);
  make_modified(*d1, *d2, *x1, *y1, *made);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::Complex;
using drywarp::dense::numbers;

#define REAL(P, T)                                                                             \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t h, T* a, T* b, T* c, T* s) {                \
    return run_rotg(h, a, b, c, s);                                                            \
  }                                                                                            \
  cublasStatus_t cublas##P##rotmg_v2(cublasHandle_t h, T* d1, T* d2, T* x1, const T* y1, T* param) { \
    return run_rotmg(h, d1, d2, x1, y1, param);                                                \
  }
#define COMPLEX(P, T, R)                                                          \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t h, T* a, T* b, R* c, T* s) {   \
    return run_rotg(h, numbers(a), numbers(b), c, numbers(s));                    \
  }
#define ROTM(P, T, Form, Int)                                                                                       \
  cublasStatus_t cublas##P##rotm_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const T* param) { \
    CUBLAS_ELEMENTS(x&& y&& param, rotm<T>, Vector<T>{x, incx}, Vector<T>{y, incy},                                 \
                    scalar(h, reinterpret_cast<const Modified<T>*>(param)));                                        \
  }
#define ROT(Name, T, N, R, S, Form, Int)                                                                            \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const R* c,       \
                                         const S* s) {                                                              \
    CUBLAS_ELEMENTS(x&& y&& c&& s, (rot_complex<N, std::remove_cvref_t<decltype(*numbers(s))>>),                    \
                    Vector<N>{numbers(x), incx}, Vector<N>{numbers(y), incy}, scalar(h, c), scalar(h, numbers(s))); \
  }
#define OF_FORM(Form, Int)                                                                     \
  ROTM(S, float, Form, Int)                                                                    \
  ROTM(D, double, Form, Int)                                                                   \
  ROT(Crot, cuComplex, Complex<float>, float, cuComplex, Form, Int)                            \
  ROT(Csrot, cuComplex, Complex<float>, float, float, Form, Int)                               \
  ROT(Zrot, cuDoubleComplex, Complex<double>, double, cuDoubleComplex, Form, Int)              \
  ROT(Zdrot, cuDoubleComplex, Complex<double>, double, double, Form, Int)                      \
  cublasStatus_t cublasRotEx##Form(cublasHandle_t h, Int n, void* x, cudaDataType x_type, Int incx, void* y,         \
                                   cudaDataType y_type, Int incy, const void* c, const void* s,                      \
                                   cudaDataType cs_type, cudaDataType type) {                                        \
    if (x_type != y_type || x_type != type) return CUBLAS_STATUS_NOT_SUPPORTED;                                      \
    const auto call = [&]<class T, class R, class S>(cublasStatus_t (*rotate)(cublasHandle_t, Int, T*, Int, T*, Int, \
                                                                              const R*, const S*)) {                 \
      return rotate(h, n, static_cast<T*>(x), incx, static_cast<T*>(y), incy, static_cast<const R*>(c),              \
                    static_cast<const S*>(s));                                                                       \
    };                                                                                                               \
    if (type == CUDA_R_32F && cs_type == CUDA_R_32F) return call(cublasSrot_v2##Form);                               \
    if (type == CUDA_R_64F && cs_type == CUDA_R_64F) return call(cublasDrot_v2##Form);                               \
    if (type == CUDA_C_32F && cs_type == CUDA_R_32F) return call(cublasCsrot_v2##Form);                              \
    if (type == CUDA_C_64F && cs_type == CUDA_R_64F) return call(cublasZdrot_v2##Form);                              \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                                              \
  }

extern "C" {
REAL(S, float)
REAL(D, double)
COMPLEX(C, cuComplex, float)
COMPLEX(Z, cuDoubleComplex, double)
OF_FORM(, int)
OF_FORM(_64, int64_t)
}
