// cuSOLVER's eigenvalues of pairs of matrices, and some of all eigenvalues, against their definitions.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

template <class T>
struct Pairs;
#define PAIRS(T, Name)                                                      \
  template <>                                                               \
  struct Pairs<T> {                                                         \
    static constexpr auto gvd = cusolverDn##Name##gvd;                      \
    static constexpr auto gvd_size = cusolverDn##Name##gvd_bufferSize;      \
    static constexpr auto gvj = cusolverDn##Name##gvj;                      \
    static constexpr auto gvdx = cusolverDn##Name##gvdx;                    \
    static constexpr auto evdx = cusolverDn##Name##evdx;                    \
    static constexpr auto evdx_size = cusolverDn##Name##evdx_bufferSize;    \
  };
PAIRS(float, Ssy)
PAIRS(double, Dsy)
PAIRS(std::complex<float>, Che)
PAIRS(std::complex<double>, Zhe)

constexpr int n = 20, ld = n + 2;

template <class T>
Matrix<T> hermitian() {
  const Matrix<T> m = some_matrix<T>(n, n);
  Matrix<T> a(n, n, ld);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a(i, j) = m(i, j) + conjugate(m(j, i));
  return a;
}
template <class T>
Matrix<T> positive() {
  Matrix<T> b = hermitian<T>();
  for (int i = 0; i < n; ++i) b(i, i) = T(std::real(b(i, i)) + 2 * n);
  return b;
}
// What must not be read is large.
template <class T>
Matrix<T> one_triangle(cublasFillMode_t uplo, Matrix<T> a) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (uplo == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) a(i, j) = T(1000);
  return a;
}
template <class T>
Matrix<T> scaled(Matrix<T> v, const std::vector<Real<T>>& w) {
  for (int j = 0; j < v.cols; ++j)
    for (int i = 0; i < v.rows; ++i) v(i, j) *= w[j];
  return v;
}

template <class T>
void check_pairs(cusolverDnHandle_t h, cusolverEigType_t type, cublasFillMode_t uplo) {
  const Matrix<T> a = hermitian<T>(), b = positive<T>();
  const auto all = CUSOLVER_EIG_MODE_VECTOR;
  int size = 0;
  OK(Pairs<T>::gvd_size(h, type, all, uplo, n, nullptr, ld, nullptr, ld, nullptr, &size));
  const Device<T> work{size_t(size)};
  const Device<Real<T>> w{n};
  const Device<int> info{1};
  syevjInfo_t params;
  OK(cusolverDnCreateSyevjInfo(&params));
  for (const bool jacobi : {false, true}) {
    const Device<T> da(one_triangle(uplo, a).data), db(one_triangle(uplo, b).data);
    if (jacobi)
      OK(Pairs<T>::gvj(h, type, all, uplo, n, da.get(), ld, db.get(), ld, w.get(), work.get(), size, info.get(), params));
    else
      OK(Pairs<T>::gvd(h, type, all, uplo, n, da.get(), ld, db.get(), ld, w.get(), work.get(), size, info.get()));
    EXPECT(info.read()[0] == 0);
    const std::vector<Real<T>> values = w.read();
    EXPECT(std::is_sorted(values.begin(), values.end()));
    const Matrix<T> v = part(read(da, a), n, n), whole_a = part(a, n, n), whole_b = part(b, n, n);
    if (type == CUSOLVER_EIG_TYPE_1) NEAR(whole_a * v, whole_b * scaled(v, values));
    if (type == CUSOLVER_EIG_TYPE_2) NEAR(whole_a * (whole_b * v), scaled(v, values), 100);
    if (type == CUSOLVER_EIG_TYPE_3) NEAR(whole_b * (whole_a * v), scaled(v, values), 100);
    if (type != CUSOLVER_EIG_TYPE_3) NEAR(adjoint(v) * (whole_b * v), identity<T>(n));
  }
  OK(cusolverDnDestroySyevjInfo(params));

  // Some of them.
  const Device<T> da(a.data), db(b.data);
  int found = 0;
  OK(Pairs<T>::gvdx(h, type, all, CUSOLVER_EIG_RANGE_I, uplo, n, da.get(), ld, db.get(), ld, 0, 0, 3, 7, &found, w.get(),
                    work.get(), size, info.get()));
  const std::vector<Real<T>> values = w.read();
  EXPECT(found == 5);
  const Matrix<T> v = part(read(da, a), n, found);
  if (type == CUSOLVER_EIG_TYPE_1) NEAR(part(a, n, n) * v, part(b, n, n) * scaled(v, values));

  // Without a positive B: its first column.
  Matrix<T> negative = b;
  negative(0, 0) = T(-1);
  const Device<T> dc(a.data), dn(negative.data);
  OK(Pairs<T>::gvd(h, type, all, uplo, n, dc.get(), ld, dn.get(), ld, w.get(), work.get(), size, info.get()));
  EXPECT(info.read()[0] == n + 1);
}

template <class T>
void check_selection(cusolverDnHandle_t h) {
  // Eigenvalues 0, 1, ... n - 1, of a matrix turned by reflections.
  Matrix<T> a(n, n, ld);
  for (int i = 0; i < n; ++i) a(i, i) = T(Real<T>(i));
  for (int turn = 0; turn < 2; ++turn) {
    Matrix<T> u = some_matrix<T>(n, 1);
    const Matrix<T> square = adjoint(u) * u;
    Matrix<T> reflection = identity<T>(n);
    const Matrix<T> outer = u * adjoint(u);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) reflection(i, j) -= Real<T>(2) * outer(i, j) / square(0, 0);
    const Matrix<T> turned = reflection * (part(a, n, n) * reflection);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) a(i, j) = turned(i, j);
  }
  int size = 0, found = 0;
  const auto uplo = CUBLAS_FILL_MODE_LOWER;
  const auto all = CUSOLVER_EIG_MODE_VECTOR;
  OK(Pairs<T>::evdx_size(h, all, CUSOLVER_EIG_RANGE_V, uplo, n, nullptr, ld, 1, 2, 0, 0, &found, nullptr, &size));
  const Device<T> work{size_t(size)};
  const Device<Real<T>> w{n};
  const Device<int> info{1};
  const auto check = [&](cusolverEigRange_t range, double from, double to, int first, int last, int want_first, int want) {
    const Device<T> da(a.data);
    OK(Pairs<T>::evdx(h, all, range, uplo, n, da.get(), ld, Real<T>(from), Real<T>(to), first, last, &found, w.get(),
                      work.get(), size, info.get()));
    EXPECT(found == want && info.read()[0] == 0);
    const std::vector<Real<T>> values = w.read();
    for (int i = 0; i < found; ++i) EXPECT(std::abs(values[i] - (want_first + i)) < kTolerance<T>);
    const Matrix<T> v = part(read(da, a), n, found);
    NEAR(part(a, n, n) * v, scaled(v, values));
  };
  check(CUSOLVER_EIG_RANGE_ALL, 0, 0, 0, 0, 0, n);
  check(CUSOLVER_EIG_RANGE_I, 0, 0, 1, 3, 0, 3);
  check(CUSOLVER_EIG_RANGE_I, 0, 0, 5, n, 4, n - 4);
  check(CUSOLVER_EIG_RANGE_V, 2.5, 6.5, 0, 0, 3, 4);
  check(CUSOLVER_EIG_RANGE_V, 6.1, 6.5, 0, 0, 0, 0);
  EXPECT(Pairs<T>::evdx_size(h, all, CUSOLVER_EIG_RANGE_I, uplo, n, nullptr, ld, 0, 0, 3, n + 1, &found, nullptr, &size) ==
         CUSOLVER_STATUS_INVALID_VALUE);
}

template <class T>
void check(cusolverDnHandle_t h) {
  for (const auto type : {CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3})
    for (const auto uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) check_pairs<T>(h, type, uplo);
  check_selection<T>(h);
}

}  // namespace

int main() {
  cusolverDnHandle_t h;
  OK(cusolverDnCreate(&h));
  check<float>(h);
  check<double>(h);
  check<std::complex<float>>(h);
  check<std::complex<double>>(h);
  OK(cusolverDnDestroy(h));
  std::puts("OK");
}
