// The numbers of dense matrices: real ones, and complex ones that lie in memory as cuComplex's do.
#pragma once

#include <cuComplex.h>

#include <cfloat>
#include <cstdint>
#include <type_traits>

namespace drywarp::dense {

template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R re, im;
  Complex() = default;
  __host__ __device__ constexpr explicit Complex(R real, R imaginary = R(0)) : re(real), im(imaginary) {}
  __host__ __device__ constexpr explicit Complex(int real) : re(R(real)), im(R(0)) {}
  __host__ __device__ Complex& operator+=(Complex o) { return re += o.re, im += o.im, *this; }
  __host__ __device__ Complex& operator-=(Complex o) { return re -= o.re, im -= o.im, *this; }
  __host__ __device__ Complex& operator*=(Complex o) { return *this = *this * o; }
  __host__ __device__ Complex& operator/=(Complex o) { return *this = *this / o; }
  __host__ __device__ friend Complex operator+(Complex a, Complex b) { return a += b; }
  __host__ __device__ friend Complex operator-(Complex a, Complex b) { return a -= b; }
  __host__ __device__ friend Complex operator-(Complex a) { return Complex(-a.re, -a.im); }
  __host__ __device__ friend Complex operator*(Complex a, Complex b) {
    return Complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
  // By Smith's method, which does not square the divisor.
  __host__ __device__ friend Complex operator/(Complex a, Complex b) {
    if ((b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im)) {
      const R ratio = b.im / b.re, whole = b.re + b.im * ratio;
      return Complex((a.re + a.im * ratio) / whole, (a.im - a.re * ratio) / whole);
    }
    const R ratio = b.re / b.im, whole = b.re * ratio + b.im;
    return Complex((a.re * ratio + a.im) / whole, (a.im * ratio - a.re) / whole);
  }
  __host__ __device__ friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
  __host__ __device__ friend bool operator!=(Complex a, Complex b) { return !(a == b); }
};

// What functions see of a type: the type of its parts, and the type that programs know.
template <class T>
struct Number {
  using Real = T;
  static constexpr bool kComplex = false;
};
template <class R>
struct Number<Complex<R>> {
  using Real = R;
  static constexpr bool kComplex = true;
};
template <class T>
using Real = typename Number<T>::Real;

template <class T>
struct OfProgram {
  using Type = T;
};
template <>
struct OfProgram<cuComplex> {
  using Type = Complex<float>;
};
template <>
struct OfProgram<cuDoubleComplex> {
  using Type = Complex<double>;
};
// A program's pointer, as one to the numbers above.
template <class T>
auto numbers(T* at) {
  return reinterpret_cast<typename OfProgram<T>::Type*>(at);
}
template <class T>
auto numbers(const T* at) {
  return reinterpret_cast<const typename OfProgram<T>::Type*>(at);
}
template <class T>
auto numbers(T** at) {
  return reinterpret_cast<typename OfProgram<T>::Type* const*>(at);
}
template <class T>
auto numbers(T* const* at) {
  return reinterpret_cast<typename OfProgram<T>::Type* const*>(at);
}
template <class T>
auto numbers(const T* const* at) {
  return reinterpret_cast<const typename OfProgram<T>::Type* const*>(at);
}

template <class T>
__host__ __device__ T conjugate(T x) {
  if constexpr (Number<T>::kComplex)
    return T(x.re, -x.im);
  else
    return x;
}
template <class T>
__host__ __device__ T conjugate_if(bool condition, T x) {
  return condition ? conjugate(x) : x;
}
template <class T>
__host__ __device__ Real<T> real(T x) {
  if constexpr (Number<T>::kComplex)
    return x.re;
  else
    return x;
}
// |x|^2
template <class T>
__host__ __device__ Real<T> square(T x) {
  if constexpr (Number<T>::kComplex)
    return x.re * x.re + x.im * x.im;
  else
    return x * x;
}
template <class T>
__device__ Real<T> magnitude(T x) {
  if constexpr (Number<T>::kComplex)
    return hypot(x.re, x.im);
  else
    return fabs(x);
}
// What LAPACK compares to find a pivot.
template <class T>
__device__ Real<T> size_of_pivot(T x) {
  if constexpr (Number<T>::kComplex)
    return fabs(x.re) + fabs(x.im);
  else
    return fabs(x);
}
template <class R>
__device__ constexpr R epsilon() {
  return sizeof(R) == 4 ? R(FLT_EPSILON) : R(DBL_EPSILON);
}

template <class T>
__device__ T shuffle_xor(T x, int lanes) {
  if constexpr (Number<T>::kComplex)
    return T(__shfl_xor_sync(0xffffffffu, x.re, lanes), __shfl_xor_sync(0xffffffffu, x.im, lanes));
  else
    return __shfl_xor_sync(0xffffffffu, x, lanes);
}
// The sum of a warp's numbers, in every lane.
template <class T>
__device__ T sum_of_warp(T x) {
  for (int lanes = 16; lanes > 0; lanes /= 2) x += shuffle_xor(x, lanes);
  return x;
}

// A matrix in memory, seen transposed or conjugated if its steps say so.
template <class T>
struct View {
  T* data;
  int64_t row, column;  // steps to the next row and column
  bool conjugated = false;
  using Value = std::remove_const_t<T>;
  __device__ Value get(int64_t i, int64_t j) const { return conjugate_if<Value>(conjugated, data[i * row + j * column]); }
  __device__ void set(int64_t i, int64_t j, Value value) const {
    data[i * row + j * column] = conjugate_if(conjugated, value);
  }
  [[nodiscard]] __host__ __device__ View from(int64_t i, int64_t j) const {
    return {data + i * row + j * column, row, column, conjugated};
  }
  [[nodiscard]] __host__ __device__ View adjoint() const { return {data, column, row, !conjugated}; }
};
template <class T>
__host__ __device__ View<T> columns(T* data, int64_t ld) {
  return {data, 1, ld, false};
}

}  // namespace drywarp::dense
