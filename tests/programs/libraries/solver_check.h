// Of the tests of cuSOLVER: its functions by the type of their numbers, and matrices on the host, by columns.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "expect.h"

#define OK(call) EXPECT((call) == CUSOLVER_STATUS_SUCCESS)

template <class T>
struct Api;
#define API(T, Number, Part, P, OR, SY)                                                  \
  template <>                                                                            \
  struct Api<T> {                                                                        \
    using Type = Number;                                                                 \
    using Real = Part;                                                                   \
    static constexpr auto potrf = cusolverDn##P##potrf;                                  \
    static constexpr auto potrf_size = cusolverDn##P##potrf_bufferSize;                  \
    static constexpr auto potrs = cusolverDn##P##potrs;                                  \
    static constexpr auto potri = cusolverDn##P##potri;                                  \
    static constexpr auto potri_size = cusolverDn##P##potri_bufferSize;                  \
    static constexpr auto potrf_batched = cusolverDn##P##potrfBatched;                   \
    static constexpr auto potrs_batched = cusolverDn##P##potrsBatched;                   \
    static constexpr auto getrf = cusolverDn##P##getrf;                                  \
    static constexpr auto getrf_size = cusolverDn##P##getrf_bufferSize;                  \
    static constexpr auto getrs = cusolverDn##P##getrs;                                  \
    static constexpr auto geqrf = cusolverDn##P##geqrf;                                  \
    static constexpr auto geqrf_size = cusolverDn##P##geqrf_bufferSize;                  \
    static constexpr auto orgqr = cusolverDn##P##OR##gqr;                                \
    static constexpr auto orgqr_size = cusolverDn##P##OR##gqr_bufferSize;                \
    static constexpr auto ormqr = cusolverDn##P##OR##mqr;                                \
    static constexpr auto ormqr_size = cusolverDn##P##OR##mqr_bufferSize;                \
    static constexpr auto syevd = cusolverDn##P##SY##evd;                                \
    static constexpr auto syevd_size = cusolverDn##P##SY##evd_bufferSize;                \
    static constexpr auto syevj = cusolverDn##P##SY##evj;                                \
    static constexpr auto syevj_size = cusolverDn##P##SY##evj_bufferSize;                \
    static constexpr auto syevj_batched = cusolverDn##P##SY##evjBatched;                 \
    static constexpr auto syevj_batched_size = cusolverDn##P##SY##evjBatched_bufferSize; \
    static constexpr auto gesvd = cusolverDn##P##gesvd;                                  \
    static constexpr auto gesvd_size = cusolverDn##P##gesvd_bufferSize;                  \
    static constexpr auto gesvdj = cusolverDn##P##gesvdj;                                \
    static constexpr auto gesvdj_size = cusolverDn##P##gesvdj_bufferSize;                \
    static constexpr auto gesvdj_batched = cusolverDn##P##gesvdjBatched;                 \
    static constexpr auto gesvdj_batched_size = cusolverDn##P##gesvdjBatched_bufferSize; \
  };
API(float, float, float, S, or, sy)
API(double, double, double, D, or, sy)
API(std::complex<float>, cuComplex, float, C, un, he)
API(std::complex<double>, cuDoubleComplex, double, Z, un, he)

template <class T>
using Real = typename Api<T>::Real;
template <class T>
constexpr bool kComplex = !std::is_same_v<T, Real<T>>;
template <class T>
T conjugate(T x) {
  if constexpr (kComplex<T>)
    return std::conj(x);
  else
    return x;
}

// Numbers on the device, as the functions take them.
template <class T>
struct Device {
  void* at = nullptr;
  size_t count;
  explicit Device(const std::vector<T>& from) : count(from.size()) {
    cudaMalloc(&at, (count + 1) * sizeof(T));
    cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyDefault);
  }
  explicit Device(size_t count) : Device(std::vector<T>(count)) {}
  ~Device() { cudaFree(at); }
  Device(const Device&) = delete;
  auto* get() const {
    if constexpr (std::is_same_v<T, int> || std::is_same_v<T, int64_t>)
      return static_cast<T*>(at);
    else
      return static_cast<typename Api<T>::Type*>(at);
  }
  std::vector<T> read() const {
    std::vector<T> to(count);
    cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDefault);
    return to;
  }
};

// By columns that are `ld` apart.
template <class T>
struct Matrix {
  int rows, cols, ld;
  std::vector<T> data;
  Matrix(int m, int n, int distance = 0) : rows(m), cols(n), ld(std::max(m, distance)), data(size_t(ld) * n) {}
  T& operator()(int i, int j) { return data[size_t(j) * ld + i]; }
  T operator()(int i, int j) const { return data[size_t(j) * ld + i]; }
};

inline unsigned state = 1;
inline double number() {  // in [-1, 1)
  state = state * 1664525u + 1013904223u;
  return int(state >> 8) / double(1 << 23) - 1.0;
}
template <class T>
T some() {
  if constexpr (kComplex<T>) {
    const double re = number();
    return T(Real<T>(re), Real<T>(number()));
  } else {
    return T(number());
  }
}
template <class T>
Matrix<T> some_matrix(int m, int n, int ld = 0) {
  Matrix<T> a(m, n, ld);
  for (T& x : a.data) x = some<T>();
  return a;
}
template <class T>
Matrix<T> identity(int n) {
  Matrix<T> a(n, n);
  for (int i = 0; i < n; ++i) a(i, i) = T(1);
  return a;
}
template <class T>
Matrix<T> adjoint(const Matrix<T>& a, bool conjugated = true) {
  Matrix<T> t(a.cols, a.rows);
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i) t(j, i) = conjugated ? conjugate(a(i, j)) : a(i, j);
  return t;
}
template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.cols);
  for (int j = 0; j < b.cols; ++j)
    for (int l = 0; l < a.cols; ++l)
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, l) * b(l, j);
  return c;
}
// A part of a matrix, without the space between its columns.
template <class T>
Matrix<T> part(const Matrix<T>& a, int rows, int cols) {
  Matrix<T> p(rows, cols);
  for (int j = 0; j < cols; ++j)
    for (int i = 0; i < rows; ++i) p(i, j) = a(i, j);
  return p;
}
template <class T>
Matrix<T> read(const Device<T>& from, Matrix<T> like) {
  like.data = from.read();
  return like;
}

// Errors of sums of about a hundred numbers of the size 1 to 100.
template <class T>
constexpr double kTolerance = sizeof(Real<T>) == 4 ? 2e-3 : 1e-11;
template <class T>
void expect_near(int line, const Matrix<T>& have, const Matrix<T>& want, double scale = 1) {
  for (int j = 0; j < want.cols; ++j)
    for (int i = 0; i < want.rows; ++i)
      if (!(std::abs(have(i, j) - want(i, j)) <= kTolerance<T> * scale)) {
        std::printf("line %d: element (%d, %d) is %g, not %g: apart %g\n", line, i, j, double(std::real(have(i, j))),
                    double(std::real(want(i, j))), double(std::abs(have(i, j) - want(i, j))));
        std::exit(1);
      }
}
#define NEAR(...) expect_near(__LINE__, __VA_ARGS__)
