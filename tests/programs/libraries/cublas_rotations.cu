// cuBLAS's rotations, many products of matrices and vectors at once, and groups of products, against the host.
// RUN: -lcublas
// EXPECT-STDOUT: OK
#include "cublas_check.h"

namespace {

template <class T>
struct Blas;
#define BLAS(T, P)                                                  \
  template <>                                                       \
  struct Blas<T> {                                                  \
    static constexpr auto gemv_all = cublas##P##gemvStridedBatched; \
    static constexpr auto rotg = cublas##P##rotg;                   \
  };
BLAS(float, S)
BLAS(double, D)
BLAS(std::complex<float>, C)
BLAS(std::complex<double>, Z)

template <class T>
void check(cublasHandle_t h) {
  // Three products at once.
  const T alpha = some<T>(), beta = some<T>();
  const Matrix<T> a = some_matrix<T>(20, 3 * 15), x = some_matrix<T>(20, 3), y = some_matrix<T>(20, 3);
  const Device<T> da(a.data), dx(x.data);
  for (const cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
    const Device<T> dy(y.data);
    OK(Blas<T>::gemv_all(h, op, 20, 15, at(alpha), da.get(), 20, 300, dx.get(), 1, 20, at(beta), dy.get(), 1, 20, 3));
    const Matrix<T> have = read(dy, y);
    for (int batch = 0; batch < 3; ++batch) {
      Matrix<T> one(20, 15);
      std::copy_n(a.data.begin() + 300 * batch, 300, one.data.begin());
      const Matrix<T> of_a = applied(one, op);
      for (int i = 0; i < of_a.rows; ++i) {
        T want = beta * y(i, batch);
        for (int j = 0; j < of_a.cols; ++j) want += alpha * of_a(i, j) * x(j, batch);
        EXPECT(std::abs(have(i, batch) - want) < kTolerance<T>);
      }
    }
  }
  // A rotation that makes b zero: (c, s; -conj(s), c) (a, b) = (r, 0).
  for (int i = 0; i < 4; ++i) {
    const T b = some<T>(), first = i == 3 ? T(0) : some<T>();
    T r = first, z = b, s(0);
    Real<T> c = 0;
    OK(Blas<T>::rotg(h, at(r), at(z), &c, at(s)));
    EXPECT(std::abs(c * first + s * b - r) < kTolerance<T> && std::abs(c * b - conjugate(s) * first) < kTolerance<T>);
    EXPECT(std::abs(c * c + std::norm(s) - 1) < kTolerance<T>);
  }
}

// Modified rotations, with numbers small enough to be scaled; complex rotations; groups of products.
void check_doubles(cublasHandle_t h) {
  for (const double d : {1.0, 1e-9, 3e8}) {
    double d1 = d, d2 = 0.5 * d, x1 = 0.25, param[5] = {};
    const double y1 = 0.75, x = x1;
    OK(cublasDrotmg(h, &d1, &d2, &x1, &y1, param));
    const Device<double> dx(std::vector<double>{x}), dy(std::vector<double>{y1});
    OK(cublasDrotm(h, 1, dx.get(), 1, dy.get(), 1, param));
    EXPECT(std::abs(dx.read()[0] - x1) < 1e-12 && std::abs(dy.read()[0]) < 1e-12);
    EXPECT(std::abs(d1 * x1 * x1 / (d * x * x + 0.5 * d * y1 * y1) - 1) < 1e-12);
  }
  using T = std::complex<double>;
  const Matrix<T> x = some_matrix<T>(300, 1), y = some_matrix<T>(300, 1);
  const Device<T> dx(x.data), dy(y.data);
  const double c = 0.6;
  const T s(0.48, 0.64);
  OK(cublasZrot(h, 300, dx.get(), 1, dy.get(), 1, &c, at(s)));
  const std::vector<T> u = dx.read(), v = dy.read();
  for (int i = 0; i < 300; ++i)
    EXPECT(std::abs(u[i] - (c * x(i, 0) + s * y(i, 0))) < 1e-12 && std::abs(v[i] - (c * y(i, 0) - std::conj(s) * x(i, 0))) < 1e-12);

  // Two groups: two products of 3 x 4 by 4 x 5, and one of 2 x 2.
  const Matrix<double> a = some_matrix<double>(28, 1), b = some_matrix<double>(44, 1);
  const Device<double> da(a.data), db(b.data), dc{34};
  const auto place = [](const Device<double>& of, int at) { return reinterpret_cast<int64_t>(of.get() + at); };
  const Device<int64_t> as({place(da, 0), place(da, 12), place(da, 24)}), bs({place(db, 0), place(db, 20), place(db, 40)}),
      cs({place(dc, 0), place(dc, 15), place(dc, 30)});
  const cublasOperation_t none[] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int m[] = {3, 2}, cols[] = {5, 2}, inner[] = {4, 2}, sizes[] = {2, 1};
  const double alpha[] = {1, 2}, beta[] = {0, 0};
  OK(cublasDgemmGroupedBatched(h, none, none, m, cols, inner, alpha, reinterpret_cast<double**>(as.get()), m,
                               reinterpret_cast<double**>(bs.get()), inner, beta, reinterpret_cast<double**>(cs.get()), m,
                               2, sizes));
  const std::vector<double> have = dc.read();
  for (int p = 0; p < 3; ++p) {
    const int g = p / 2, at_a[] = {0, 12, 24}, at_b[] = {0, 20, 40}, at_c[] = {0, 15, 30};
    for (int j = 0; j < cols[g]; ++j)
      for (int i = 0; i < m[g]; ++i) {
        double want = 0;
        for (int l = 0; l < inner[g]; ++l) want += alpha[g] * a(at_a[p] + l * m[g] + i, 0) * b(at_b[p] + j * inner[g] + l, 0);
        EXPECT(std::abs(have[at_c[p] + j * m[g] + i] - want) < 1e-12);
      }
  }
}

}  // namespace

int main() {
  cublasHandle_t h;
  OK(cublasCreate(&h));
  check<float>(h);
  check<double>(h);
  check<std::complex<float>>(h);
  check<std::complex<double>>(h);
  check_doubles(h);
  OK(cublasDestroy(h));
  std::puts("OK");
}
