// cuBLAS's matrices that are kept as a triangle, in bands or packed, against sums on the host.
// RUN: -lcublas
// EXPECT-STDOUT: OK
#include "cublas_check.h"

namespace {

template <class T>
struct Blas;
#define COMMON(P)                                    \
  static constexpr auto gbmv = cublas##P##gbmv;      \
  static constexpr auto trmv = cublas##P##trmv;      \
  static constexpr auto tbmv = cublas##P##tbmv;      \
  static constexpr auto tbsv = cublas##P##tbsv;      \
  static constexpr auto tpmv = cublas##P##tpmv;      \
  static constexpr auto tpsv = cublas##P##tpsv;      \
  static constexpr auto symv = cublas##P##symv;      \
  static constexpr auto syr = cublas##P##syr;        \
  static constexpr auto syr2 = cublas##P##syr2;      \
  static constexpr auto symm = cublas##P##symm;      \
  static constexpr auto trmm = cublas##P##trmm;      \
  static constexpr auto syr2k = cublas##P##syr2k;    \
  static constexpr auto syrkx = cublas##P##syrkx;    \
  static constexpr auto trttp = cublas##P##trttp;    \
  static constexpr auto tpttr = cublas##P##tpttr;
// The functions of matrices that are equal to their adjoints.
#define ADJOINT(P, sy, sb, sp, sr, sr2)                                                                     \
  static constexpr auto hemv = cublas##P##sy##mv;                                                           \
  static constexpr auto hemv_band = cublas##P##sb##mv;                                                      \
  static constexpr auto hemv_packed = cublas##P##sp##mv;                                                    \
  static constexpr auto her = cublas##P##sr;                                                                \
  static constexpr auto her2 = cublas##P##sr2;                                                              \
  static constexpr auto hpr = cublas##P##sp##r;                                                             \
  static constexpr auto hpr2 = cublas##P##sp##r2;                                                           \
  static constexpr auto hemm = cublas##P##sy##mm;                                                           \
  static constexpr auto her2k = cublas##P##sr2##k;
template <>
struct Blas<float> {
  COMMON(S)
  ADJOINT(S, sy, sb, sp, syr, syr2)
  static constexpr auto herkx = cublasSsyrkx;
};
template <>
struct Blas<double> {
  COMMON(D)
  ADJOINT(D, sy, sb, sp, syr, syr2)
  static constexpr auto herkx = cublasDsyrkx;
};
template <>
struct Blas<std::complex<float>> {
  COMMON(C)
  ADJOINT(C, he, hb, hp, her, her2)
  static constexpr auto herkx = cublasCherkx;
};
template <>
struct Blas<std::complex<double>> {
  COMMON(Z)
  ADJOINT(Z, he, hb, hp, her, her2)
  static constexpr auto herkx = cublasZherkx;
};

constexpr cublasFillMode_t kTriangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr int n = 37, k = 4;

bool inside(cublasFillMode_t uplo, int i, int j) { return uplo == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j; }

template <class T>
Matrix<T> sum(T alpha, const Matrix<T>& a, T beta, const Matrix<T>& b) {
  Matrix<T> c(b.rows, b.cols);
  for (int j = 0; j < b.cols; ++j)
    for (int i = 0; i < b.rows; ++i) c(i, j) = alpha * a(i, j) + beta * b(i, j);
  return c;
}
// One triangle of `a`, and `other` elsewhere.
template <class T>
Matrix<T> with_triangle(cublasFillMode_t uplo, const Matrix<T>& a, const Matrix<T>& other) {
  Matrix<T> c = other;
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (inside(uplo, i, j)) c(i, j) = a(i, j);
  return c;
}
template <class T>
Matrix<T> triangle(cublasFillMode_t uplo, const Matrix<T>& a, int reach, bool unit) {
  Matrix<T> t(a.rows, a.cols);
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (inside(uplo, i, j) && std::abs(i - j) <= reach) t(i, j) = unit && i == j ? T(1) : a(i, j);
  return t;
}
// The whole matrix of which one triangle is given.
template <class T>
Matrix<T> mirrored(cublasFillMode_t uplo, const Matrix<T>& a, int reach, bool hermitian) {
  Matrix<T> t = triangle(uplo, a, reach, false);
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i) {
      if (!inside(uplo, i, j)) t(i, j) = hermitian ? conjugate(t(j, i)) : t(j, i);
      if (hermitian && i == j) t(i, j) = T(std::real(t(i, j)));
    }
  return t;
}
template <class T>
std::vector<T> packed(cublasFillMode_t uplo, const Matrix<T>& a) {
  std::vector<T> p;
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i)
      if (inside(uplo, i, j)) p.push_back(a(i, j));
  return p;
}
// The diagonals from `below` the main one to `above` it, as rows; what is not in the matrix is not read.
template <class T>
Matrix<T> banded(const Matrix<T>& a, int below, int above) {
  Matrix<T> b(below + above + 1, a.cols);
  for (T& x : b.data) x = T(1e30f);
  for (int j = 0; j < a.cols; ++j)
    for (int i = std::max(0, j - above); i <= std::min(a.rows - 1, j + below); ++i) b(above + i - j, j) = a(i, j);
  return b;
}
template <class T>
Matrix<T> banded_triangle(cublasFillMode_t uplo, const Matrix<T>& a) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? banded(a, k, 0) : banded(a, 0, k);
}

template <class T>
void check_general_band(cublasHandle_t h) {
  const T alpha = some<T>(), beta = some<T>();
  constexpr int m = 50, below = 3, above = 5;
  Matrix<T> a = some_matrix<T>(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      if (i - j > below || j - i > above) a(i, j) = T(0);
  const Device<T> band(banded(a, below, above).data);
  for (const cublasOperation_t op : kOperations) {
    const Matrix<T> of_a = applied(a, op), x = some_matrix<T>(of_a.cols, 1), y = some_matrix<T>(of_a.rows, 1);
    const Device<T> dx(x.data), dy(y.data);
    OK(Blas<T>::gbmv(h, op, m, n, below, above, at(alpha), band.get(), below + above + 1, dx.get(), 1, at(beta),
                     dy.get(), 1));
    NEAR(read(dy, y), sum(alpha, of_a * x, beta, y));
  }
}

template <class T>
void check_symmetric(cublasHandle_t h, cublasFillMode_t uplo) {
  const T alpha = some<T>(), beta = some<T>();
  const Matrix<T> a = some_matrix<T>(n, n, n + 2), x = some_matrix<T>(n, 1), y = some_matrix<T>(n, 1);
  const Device<T> whole(a.data), band(banded_triangle(uplo, a).data), pack(packed(uplo, a)), dx(x.data);
  const auto check = [&](auto&& run, const Matrix<T>& matrix) {
    const Device<T> dy(y.data);
    OK(run(dy.get()));
    NEAR(read(dy, y), sum(alpha, matrix * x, beta, y));
  };
  check([&](auto* dy) { return Blas<T>::symv(h, uplo, n, at(alpha), whole.get(), n + 2, dx.get(), 1, at(beta), dy, 1); },
        mirrored(uplo, a, n, false));
  check([&](auto* dy) { return Blas<T>::hemv(h, uplo, n, at(alpha), whole.get(), n + 2, dx.get(), 1, at(beta), dy, 1); },
        mirrored(uplo, a, n, true));
  check([&](auto* dy) { return Blas<T>::hemv_band(h, uplo, n, k, at(alpha), band.get(), k + 1, dx.get(), 1, at(beta), dy, 1); },
        mirrored(uplo, a, k, true));
  check([&](auto* dy) { return Blas<T>::hemv_packed(h, uplo, n, at(alpha), pack.get(), dx.get(), 1, at(beta), dy, 1); },
        mirrored(uplo, a, n, true));
}

// x = op(A) x, and back.
template <class T>
void check_triangles(cublasHandle_t h, cublasFillMode_t uplo, bool unit) {
  Matrix<T> a = some_matrix<T>(n, n);
  for (T& element : a.data) element *= Real<T>(0.1);
  for (int i = 0; i < n; ++i) a(i, i) = T(2);
  const Device<T> whole(a.data), band(banded_triangle(uplo, a).data), pack(packed(uplo, a));
  const cublasDiagType_t diag = unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const Matrix<T> all = triangle(uplo, a, n, unit), few = triangle(uplo, a, k, unit), x = some_matrix<T>(n, 1);
  for (const cublasOperation_t op : kOperations) {
    const Device<T> dx(x.data), dp(x.data), db(x.data);
    OK(Blas<T>::trmv(h, uplo, op, diag, n, whole.get(), n, dx.get(), 1));
    NEAR(read(dx, x), applied(all, op) * x);
    OK(Blas<T>::tpmv(h, uplo, op, diag, n, pack.get(), dp.get(), 1));
    NEAR(read(dp, x), applied(all, op) * x);
    OK(Blas<T>::tbmv(h, uplo, op, diag, n, k, band.get(), k + 1, db.get(), 1));
    NEAR(read(db, x), applied(few, op) * x);
    OK(Blas<T>::tpsv(h, uplo, op, diag, n, pack.get(), dp.get(), 1));
    NEAR(read(dp, x), x);
    OK(Blas<T>::tbsv(h, uplo, op, diag, n, k, band.get(), k + 1, db.get(), 1));
    NEAR(read(db, x), x);
  }
  for (const bool left : {true, false})
    for (const cublasOperation_t op : kOperations) {
      const T alpha = some<T>();
      const Matrix<T> b = left ? some_matrix<T>(n, 11) : some_matrix<T>(11, n);
      const Matrix<T> want = left ? applied(all, op) * b : b * applied(all, op);
      const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
      const Device<T> db(b.data), dc(b.data.size());
      OK(Blas<T>::trmm(h, side, uplo, op, diag, b.rows, b.cols, at(alpha), whole.get(), n, db.get(), b.ld, dc.get(), b.ld));
      NEAR(read(dc, b), sum(alpha, want, T(0), b));
      OK(Blas<T>::trmm(h, side, uplo, op, diag, b.rows, b.cols, at(alpha), whole.get(), n, db.get(), b.ld, db.get(), b.ld));
      EXPECT(db.read() == dc.read());
    }
}

template <class T>
void check_updates(cublasHandle_t h, cublasFillMode_t uplo) {
  const T alpha = some<T>();
  const Real<T> real = Real<T>(0.7);
  const Matrix<T> a = some_matrix<T>(n, n, n + 1), x = some_matrix<T>(n, 1), y = some_matrix<T>(n, 1);
  const Device<T> dx(x.data), dy(y.data);
  const auto check = [&](auto&& run, T factor, bool second, bool hermitian) {
    Matrix<T> want = part(a, n, n);
    const Matrix<T> xx = x * adjoint(x, hermitian), xy = x * adjoint(y, hermitian), yx = y * adjoint(x, hermitian);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        want(i, j) += second ? factor * xy(i, j) + (hermitian ? conjugate(factor) : factor) * yx(i, j) : factor * xx(i, j);
        if (hermitian && i == j) want(i, j) = T(std::real(want(i, j)));
      }
    const Device<T> whole(a.data), pack(packed(uplo, a));
    const bool is_packed = run(whole.get(), pack.get());
    if (is_packed) {
      const Device<T> unpacked(with_triangle(uplo, a, part(a, n, n)).data);
      OK(Blas<T>::tpttr(h, uplo, n, pack.get(), unpacked.get(), n));
      NEAR(read(unpacked, Matrix<T>(n, n)), with_triangle(uplo, want, part(a, n, n)));
      OK(Blas<T>::trttp(h, uplo, n, unpacked.get(), n, dx.count ? pack.get() : nullptr));
      EXPECT(pack.read() == packed(uplo, read(unpacked, Matrix<T>(n, n))));
    } else {
      NEAR(read(whole, a), with_triangle(uplo, want, a));
    }
  };
  check([&](auto* whole, auto*) { OK(Blas<T>::syr(h, uplo, n, at(alpha), dx.get(), 1, whole, n + 1)); return false; },
        alpha, false, false);
  check([&](auto* whole, auto*) { OK(Blas<T>::syr2(h, uplo, n, at(alpha), dx.get(), 1, dy.get(), 1, whole, n + 1)); return false; },
        alpha, true, false);
  check([&](auto* whole, auto*) { OK(Blas<T>::her(h, uplo, n, &real, dx.get(), 1, whole, n + 1)); return false; },
        T(real), false, true);
  check([&](auto* whole, auto*) { OK(Blas<T>::her2(h, uplo, n, at(alpha), dx.get(), 1, dy.get(), 1, whole, n + 1)); return false; },
        alpha, true, true);
  check([&](auto*, auto* pack) { OK(Blas<T>::hpr(h, uplo, n, &real, dx.get(), 1, pack)); return true; },
        T(real), false, true);
  check([&](auto*, auto* pack) { OK(Blas<T>::hpr2(h, uplo, n, at(alpha), dx.get(), 1, dy.get(), 1, pack)); return true; },
        alpha, true, true);
}

template <class T>
void check_matrices(cublasHandle_t h, cublasFillMode_t uplo) {
  const T alpha = some<T>(), beta = some<T>();
  const Matrix<T> a = some_matrix<T>(n, n, n + 1);
  const Device<T> da(a.data);
  for (const bool hermitian : {false, true})
    for (const bool left : {true, false}) {
      const Matrix<T> b = left ? some_matrix<T>(n, 70) : some_matrix<T>(70, n), c = some_matrix<T>(b.rows, b.cols);
      const Device<T> db(b.data), dc(c.data);
      const auto run = hermitian ? Blas<T>::hemm : Blas<T>::symm;
      OK(run(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, uplo, b.rows, b.cols, at(alpha), da.get(), n + 1, db.get(),
             b.ld, at(beta), dc.get(), c.ld));
      const Matrix<T> whole = mirrored(uplo, part(a, n, n), n, hermitian);
      NEAR(read(dc, c), sum(alpha, left ? whole * b : b * whole, beta, c));
    }
  const Real<T> kept = Real<T>(0.3);
  const Device<Real<T>> kept_there(std::vector<Real<T>>{kept});
  const Device<T> alpha_there(std::vector<T>{alpha});
  for (const bool normal : {true, false})
    for (const bool hermitian : {false, true})
      for (const bool both : {true, false}) {
        const Matrix<T> x = normal ? some_matrix<T>(n, 9) : some_matrix<T>(9, n), y = some_matrix<T>(x.rows, x.cols);
        Matrix<T> c = some_matrix<T>(n, n);
        if (hermitian) c = mirrored(uplo, c, n, true);
        const Device<T> dx(x.data), dy(y.data), dc(c.data), dd(c.data);
        const cublasOperation_t other = hermitian && kComplex<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
        const cublasOperation_t op = normal ? CUBLAS_OP_N : other;
        const auto run = [&](const Device<T>& to, auto* factor, auto* real) {
          return both ? Blas<T>::her2k(h, uplo, op, n, 9, factor, dx.get(), x.ld, dy.get(), y.ld, real, to.get(), n)
                      : Blas<T>::herkx(h, uplo, op, n, 9, factor, dx.get(), x.ld, dy.get(), y.ld, real, to.get(), n);
        };
        if (hermitian) {
          OK(run(dc, at(alpha), &kept));
          OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
          OK(run(dd, alpha_there.get(), kept_there.get()));
          OK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
          EXPECT(dc.read() == dd.read());
        } else {
          const auto plain = both ? Blas<T>::syr2k : Blas<T>::syrkx;
          OK(plain(h, uplo, op, n, 9, at(alpha), dx.get(), x.ld, dy.get(), y.ld, at(beta), dc.get(), n));
        }
        const Matrix<T> xy = normal ? x * adjoint(y, hermitian) : adjoint(x, hermitian) * y;
        const Matrix<T> yx = normal ? y * adjoint(x, hermitian) : adjoint(y, hermitian) * x;
        Matrix<T> want = sum(alpha, xy, hermitian ? T(kept) : beta, c);
        if (both) want = sum(hermitian ? conjugate(alpha) : alpha, yx, T(1), want);
        if (hermitian)
          for (int i = 0; i < n; ++i) want(i, i) = T(std::real(want(i, i)));
        NEAR(read(dc, c), with_triangle(uplo, want, c));
      }
}

template <class T>
void check(cublasHandle_t h) {
  check_general_band<T>(h);
  for (const cublasFillMode_t uplo : kTriangles) {
    check_symmetric<T>(h, uplo);
    for (const bool unit : {false, true}) check_triangles<T>(h, uplo, unit);
    check_updates<T>(h, uplo);
    check_matrices<T>(h, uplo);
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
  OK(cublasDestroy(h));
  std::puts("OK");
}
