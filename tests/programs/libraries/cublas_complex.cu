// cuBLAS's functions of complex numbers, and of many small matrices, against sums on the host.
// RUN: -lcublas
// EXPECT-STDOUT: OK
#include "cublas_check.h"

namespace {

template <class T>
struct Blas;
#define BLAS(T, P)                                                     \
  template <>                                                          \
  struct Blas<T> {                                                     \
    static constexpr auto getrf = cublas##P##getrfBatched;             \
    static constexpr auto getrs = cublas##P##getrsBatched;             \
    static constexpr auto getri = cublas##P##getriBatched;             \
    static constexpr auto matinv = cublas##P##matinvBatched;           \
    static constexpr auto geqrf = cublas##P##geqrfBatched;             \
    static constexpr auto gels = cublas##P##gelsBatched;               \
    static constexpr auto gemm = cublas##P##gemm;                      \
    static constexpr auto gemm_strided = cublas##P##gemmStridedBatched; \
    static constexpr auto trsm = cublas##P##trsm;                      \
    static constexpr auto geam = cublas##P##geam;                      \
    static constexpr auto gemv = cublas##P##gemv;                      \
    static constexpr auto axpy = cublas##P##axpy;                      \
  };
BLAS(float, S)
BLAS(double, D)
BLAS(std::complex<float>, C)
BLAS(std::complex<double>, Z)

template <class T>
void check_products(cublasHandle_t h) {
  const T alpha = some<T>(), beta = some<T>(), zero(0);
  constexpr int m = 70, n = 33, k = 19;
  for (const cublasOperation_t ta : kOperations)
    for (const cublasOperation_t tb : kOperations) {
      const Matrix<T> a = ta == CUBLAS_OP_N ? some_matrix<T>(m, k, m + 1) : some_matrix<T>(k, m, k + 2);
      const Matrix<T> b = tb == CUBLAS_OP_N ? some_matrix<T>(k, n) : some_matrix<T>(n, k);
      const Matrix<T> c = some_matrix<T>(m, n, m + 3);
      const Device<T> da(a.data), db(b.data), dc(c.data);
      OK(Blas<T>::gemm(h, ta, tb, m, n, k, at(alpha), da.get(), a.ld, db.get(), b.ld, at(beta), dc.get(), c.ld));
      const Matrix<T> product = applied(a, ta) * applied(b, tb);
      Matrix<T> want(m, n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) want(i, j) = alpha * product(i, j) + beta * c(i, j);
      NEAR(read(dc, c), want);
    }
  const Matrix<T> a = some_matrix<T>(4, 12), b = some_matrix<T>(4, 12);
  const Device<T> da(a.data), db(b.data), dc{48};
  OK(Blas<T>::gemm_strided(h, CUBLAS_OP_C, CUBLAS_OP_N, 4, 4, 4, at(alpha), da.get(), 4, 16, db.get(), 4, 16, at(zero),
                           dc.get(), 4, 16, 3));
  const std::vector<T> c = dc.read();
  for (int batch = 0; batch < 3; ++batch)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        T sum(0);
        for (int l = 0; l < 4; ++l) sum += conjugate(a(l, 4 * batch + i)) * b(l, 4 * batch + j);
        EXPECT(std::abs(c[16 * batch + 4 * j + i] - alpha * sum) < kTolerance<T>);
      }
  const Matrix<T> s = some_matrix<T>(20, 30), t = some_matrix<T>(30, 20);
  const Device<T> ds(s.data), dt(t.data), sum{600};
  OK(Blas<T>::geam(h, CUBLAS_OP_N, CUBLAS_OP_C, 20, 30, at(alpha), ds.get(), 20, at(beta), dt.get(), 30, sum.get(), 20));
  Matrix<T> want(20, 30);
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < 20; ++i) want(i, j) = alpha * s(i, j) + beta * conjugate(t(j, i));
  NEAR(read(sum, want), want);
}

template <class T>
void check_matrix_and_vectors(cublasHandle_t h) {
  const T alpha = some<T>(), beta = some<T>(), one(1);
  constexpr int m = 45, n = 150;
  const Matrix<T> a = some_matrix<T>(m, n, m + 1);
  const Device<T> da(a.data);
  for (const cublasOperation_t op : kOperations) {
    const Matrix<T> of_a = applied(a, op), x = some_matrix<T>(of_a.cols, 1), y = some_matrix<T>(of_a.rows, 1);
    const Device<T> dx(x.data), dy(y.data);
    OK(Blas<T>::gemv(h, op, m, n, at(alpha), da.get(), a.ld, dx.get(), 1, at(beta), dy.get(), 1));
    Matrix<T> want = of_a * x;
    for (int i = 0; i < want.rows; ++i) want(i, 0) = alpha * want(i, 0) + beta * y(i, 0);
    NEAR(read(dy, y), want);
  }
  // Triangular systems from both sides.
  Matrix<T> t = some_matrix<T>(30, 30);
  for (int i = 0; i < 30; ++i) t(i, i) += T(20);
  Matrix<T> lower = t;
  for (int j = 0; j < 30; ++j)
    for (int i = 0; i < j; ++i) lower(i, j) = T(0);
  const Device<T> dt(t.data);
  for (const cublasOperation_t op : kOperations)
    for (const bool left : {true, false}) {
      const Matrix<T> x = left ? some_matrix<T>(30, 7) : some_matrix<T>(7, 30);
      const Device<T> db((left ? applied(lower, op) * x : x * applied(lower, op)).data);
      OK(Blas<T>::trsm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_NON_UNIT,
                       x.rows, x.cols, at(one), dt.get(), 30, db.get(), x.ld));
      NEAR(read(db, x), x);
    }
}

// Functions that real numbers do not have: of doubles.
void check_complex(cublasHandle_t h) {
  using T = std::complex<double>;
  constexpr int n = 1000;
  const Matrix<T> x = some_matrix<T>(n, 1), y = some_matrix<T>(n, 1);
  const Device<T> dx(x.data), dy(y.data);
  const auto near = [](auto a, auto b) { return std::abs(a - b) < 1e-10; };
  T dotu(0), dotc(0), have;
  double squares = 0, sizes = 0, real = 0;
  int largest = 0, place = 0;
  const auto size = [&](int i) { return std::abs(x(i, 0).real()) + std::abs(x(i, 0).imag()); };
  for (int i = 0; i < n; ++i) {
    dotu += x(i, 0) * y(i, 0), dotc += std::conj(x(i, 0)) * y(i, 0);
    squares += std::norm(x(i, 0)), sizes += size(i);
    if (size(i) > size(largest)) largest = i;
  }
  OK(cublasZdotu(h, n, dx.get(), 1, dy.get(), 1, at(have)));
  EXPECT(near(have, dotu));
  OK(cublasZdotc(h, n, dx.get(), 1, dy.get(), 1, at(have)));
  EXPECT(near(have, dotc));
  OK(cublasDotcEx(h, n, dx.get(), CUDA_C_64F, 1, dy.get(), CUDA_C_64F, 1, at(have), CUDA_C_64F, CUDA_C_64F));
  EXPECT(near(have, dotc));
  OK(cublasDotEx(h, n, dx.get(), CUDA_C_64F, 1, dy.get(), CUDA_C_64F, 1, at(have), CUDA_C_64F, CUDA_C_64F));
  EXPECT(near(have, dotu));
  OK(cublasDznrm2(h, n, dx.get(), 1, &real));
  EXPECT(near(real, std::sqrt(squares)));
  OK(cublasDzasum(h, n, dx.get(), 1, &real));
  EXPECT(near(real, sizes));
  OK(cublasIzamax(h, n, dx.get(), 1, &place));
  EXPECT(place == largest + 1);
  const T alpha(0.5, -2);
  const double half = 0.5;
  OK(cublasZaxpy(h, n, at(alpha), dx.get(), 1, dy.get(), 1));
  OK(cublasZdscal(h, n, &half, dx.get(), 1));
  const std::vector<T> sum = dy.read(), halves = dx.read();
  for (int i = 0; i < n; ++i) EXPECT(near(sum[i], alpha * x(i, 0) + y(i, 0)) && near(halves[i], 0.5 * x(i, 0)));

  const Matrix<T> a = some_matrix<T>(40, 25), c = some_matrix<T>(40, 40);
  const Device<T> da(a.data), dc(c.data), dr(c.data);
  OK(cublasZgerc(h, 40, 25, at(alpha), dx.get(), 1, dy.get(), 1, da.get(), 40));
  const Matrix<T> ranked = read(da, a);
  for (int j = 0; j < 25; ++j)
    for (int i = 0; i < 40; ++i) EXPECT(near(ranked(i, j), a(i, j) + alpha * halves[i] * std::conj(sum[j])));
  const double factor = 3, kept = 2;
  const Device<double> on_device(std::vector<double>{factor, kept});
  OK(cublasZherk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 40, 25, &factor, da.get(), 40, &kept, dc.get(), 40));
  OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  OK(cublasZherk(h, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 40, 25, on_device.get(), da.get(), 40, on_device.get() + 1,
                 dr.get(), 40));
  OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  EXPECT(dc.read() == dr.read());
  const Matrix<T> square = ranked * adjoint(ranked), product = read(dc, c);
  for (int j = 0; j < 40; ++j)
    for (int i = 0; i < 40; ++i) {
      T want = i > j ? c(i, j) : 3.0 * square(i, j) + 2.0 * c(i, j);
      if (i == j) {
        want.imag(0);
        EXPECT(product(i, i).imag() == 0);
      }
      EXPECT(near(product(i, j), want));
    }
}

template <class T>
struct Batch {
  std::vector<Matrix<T>> host;
  Device<T> all;
  Device<int64_t> pointers;
  static std::vector<T> joined(const std::vector<Matrix<T>>& list) {
    std::vector<T> data;
    for (const Matrix<T>& a : list) data.insert(data.end(), a.data.begin(), a.data.end());
    return data;
  }
  explicit Batch(const std::vector<Matrix<T>>& list) : host(list), all(joined(list)), pointers(list.size()) {
    std::vector<int64_t> places;
    for (size_t i = 0; i < list.size(); ++i)
      places.push_back(reinterpret_cast<int64_t>(static_cast<T*>(all.at) + i * list[0].data.size()));
    cudaMemcpy(pointers.at, places.data(), places.size() * 8, cudaMemcpyDefault);
  }
  auto** get() const { return reinterpret_cast<typename Api<T>::Type**>(pointers.at); }
  Matrix<T> result(size_t i) const {
    const std::vector<T> data = all.read();
    Matrix<T> a = host[i];
    std::copy_n(data.begin() + i * a.data.size(), a.data.size(), a.data.begin());
    return a;
  }
};

template <class T>
void check_small(cublasHandle_t h) {
  constexpr int n = 11, batch = 3, m = 17;
  const Device<int> pivots{n * batch}, info{batch};
  int wrong = -1;
  std::vector<Matrix<T>> squares, sides, tall, blank, tau, tall_sides;
  for (int i = 0; i < batch; ++i) {
    squares.push_back(some_matrix<T>(n, n)), sides.push_back(some_matrix<T>(n, 2)), blank.push_back(Matrix<T>(n, n));
    tall.push_back(some_matrix<T>(m, n)), tau.push_back(Matrix<T>(n, 1)), tall_sides.push_back(some_matrix<T>(m, 2));
  }
  const Batch<T> a(squares), b(sides), inverse(blank), kept(squares), also(blank);
  OK(Blas<T>::getrf(h, n, a.get(), n, pivots.get(), info.get(), batch));
  OK(Blas<T>::getrs(h, CUBLAS_OP_C, n, 2, a.get(), n, pivots.get(), b.get(), n, &wrong, batch));
  OK(Blas<T>::getri(h, n, a.get(), n, pivots.get(), inverse.get(), n, info.get(), batch));
  OK(Blas<T>::matinv(h, n, kept.get(), n, also.get(), n, info.get(), batch));
  for (int i = 0; i < batch; ++i) {
    NEAR(adjoint(squares[i]) * b.result(i), sides[i], 10);
    NEAR(squares[i] * inverse.result(i), identity<T>(n), 10);
    NEAR(squares[i] * also.result(i), identity<T>(n), 10);
    EXPECT(info.read()[i] == 0 && wrong == 0);
  }
  const Batch<T> qr(tall), factors(tau), least(tall), right(tall_sides);
  OK(Blas<T>::geqrf(h, m, n, qr.get(), m, factors.get(), &wrong, batch));
  OK(Blas<T>::gels(h, CUBLAS_OP_N, m, n, 2, least.get(), m, right.get(), m, &wrong, info.get(), batch));
  for (int i = 0; i < batch; ++i) {
    // R^H R = A^H A, and A^H (A x - b) = 0.
    Matrix<T> r = part(qr.result(i), n, n);
    for (int j = 0; j < n; ++j)
      for (int l = j + 1; l < n; ++l) r(l, j) = T(0);
    NEAR(adjoint(r) * r, adjoint(tall[i]) * tall[i]);
    const Matrix<T> x = part(right.result(i), n, 2);
    NEAR(adjoint(tall[i]) * (tall[i] * x), adjoint(tall[i]) * tall_sides[i], 10);
    EXPECT(info.read()[i] == 0);
  }
  EXPECT(Blas<T>::gels(h, CUBLAS_OP_N, n - 1, n, 2, least.get(), m, right.get(), m, &wrong, info.get(), batch) ==
         CUBLAS_STATUS_NOT_SUPPORTED);
}

template <class T>
void check(cublasHandle_t h) {
  check_products<T>(h);
  check_matrix_and_vectors<T>(h);
  check_small<T>(h);
}

}  // namespace

int main() {
  cublasHandle_t h;
  OK(cublasCreate(&h));
  check<std::complex<float>>(h);
  check<std::complex<double>>(h);
  check_small<float>(h);
  check_small<double>(h);
  check_complex(h);
  OK(cublasDestroy(h));
  std::puts("OK");
}
