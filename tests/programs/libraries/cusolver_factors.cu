// cuSOLVER's Cholesky, LU and QR factors against LAPACK's definitions, computed element by element on the host.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

constexpr cublasFillMode_t kTriangles[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};

// A Hermitian matrix whose eigenvalues are at least n.
template <class T>
Matrix<T> positive(int n, int ld) {
  const Matrix<T> m = some_matrix<T>(n, n);
  const Matrix<T> square = m * adjoint(m);
  Matrix<T> a(n, n, ld);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a(i, j) = square(i, j) + T(i == j ? n : 0);
  return a;
}
template <class T>
Matrix<T> cholesky(const Matrix<T>& a) {
  Matrix<T> l(a.rows, a.rows);
  for (int j = 0; j < a.rows; ++j)
    for (int i = j; i < a.rows; ++i) {
      T sum = a(i, j);
      for (int k = 0; k < j; ++k) sum -= l(i, k) * conjugate(l(j, k));
      l(i, j) = i == j ? T(std::sqrt(std::real(sum))) : sum / l(j, j);
    }
  return l;
}

template <class T>
void check_cholesky(cusolverDnHandle_t h, int n, int ld, int sides) {
  const Device<int> info(1);
  const Matrix<T> a = positive<T>(n, ld), lower = cholesky(a), x = some_matrix<T>(n, sides);
  for (const cublasFillMode_t uplo : kTriangles) {
    const bool up = uplo == CUBLAS_FILL_MODE_UPPER;
    Matrix<T> other = a;  // what is not in the triangle is not read, nor written
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (up ? i > j : i < j) other(i, j) = T(77);
    const Device<T> da(other.data);
    int size = 0;
    OK(Api<T>::potrf_size(h, uplo, n, da.get(), ld, &size));
    const Device<T> work{size_t(size)};
    OK(Api<T>::potrf(h, uplo, n, da.get(), ld, work.get(), size, info.get()));
    EXPECT(info.read()[0] == 0);
    const Matrix<T> have = read(da, other);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if (up ? i > j : i < j) EXPECT(have(i, j) == T(77));
      }
    Matrix<T> factor(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) factor(i, j) = up ? conjugate(have(j, i)) : have(i, j);
    NEAR(factor, lower);

    Matrix<T> b(n, sides, n + 3);
    const Matrix<T> product = part(a, n, n) * x;
    for (int j = 0; j < sides; ++j)
      for (int i = 0; i < n; ++i) b(i, j) = product(i, j);
    const Device<T> db(b.data);
    OK(Api<T>::potrs(h, uplo, n, sides, da.get(), ld, db.get(), b.ld, info.get()));
    NEAR(read(db, b), x);

    OK(Api<T>::potri_size(h, uplo, n, da.get(), ld, &size));
    const Device<T> more{size_t(size)};
    OK(Api<T>::potri(h, uplo, n, da.get(), ld, more.get(), size, info.get()));
    Matrix<T> inverse = read(da, other);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (up ? i > j : i < j) inverse(i, j) = conjugate(inverse(j, i));
    NEAR(part(a, n, n) * part(inverse, n, n), identity<T>(n));
  }
  Matrix<T> bad = a;
  bad(n / 2, n / 2) = T(-1);
  const Device<T> da(bad.data);
  OK(Api<T>::potrf(h, CUBLAS_FILL_MODE_LOWER, n, da.get(), ld, nullptr, 0, info.get()));
  EXPECT(info.read()[0] == n / 2 + 1);
}

template <class T>
void check_cholesky_batch(cusolverDnHandle_t h) {
  constexpr int n = 9, ld = 11, batch = 3;
  using Number = typename Api<T>::Type;
  std::vector<Matrix<T>> a, x;
  std::vector<Device<T>*> da, db;
  std::vector<int64_t> pa, pb;
  for (int id = 0; id < batch; ++id) {
    a.push_back(positive<T>(n, ld)), x.push_back(some_matrix<T>(n, 1));
    da.push_back(new Device<T>(a[id].data)), db.push_back(new Device<T>((part(a[id], n, n) * x[id]).data));
    pa.push_back(reinterpret_cast<int64_t>(da[id]->at)), pb.push_back(reinterpret_cast<int64_t>(db[id]->at));
  }
  const Device<int64_t> all_a(pa), all_b(pb);
  auto** const list_a = reinterpret_cast<Number**>(all_a.get());
  auto** const list_b = reinterpret_cast<Number**>(all_b.get());
  const Device<int> info{size_t(batch)};
  OK(Api<T>::potrf_batched(h, CUBLAS_FILL_MODE_LOWER, n, list_a, ld, info.get(), batch));
  for (const int value : info.read()) EXPECT(value == 0);
  OK(Api<T>::potrs_batched(h, CUBLAS_FILL_MODE_LOWER, n, 1, list_a, ld, list_b, n, info.get(), batch));
  for (int id = 0; id < batch; ++id) {
    NEAR(read(*db[id], x[id]), x[id]);
    delete da[id];
    delete db[id];
  }
}

// Gaussian elimination as LAPACK's: the largest of |re| + |im| is the pivot.
template <class T>
Matrix<T> eliminate(Matrix<T> a, std::vector<int>* pivots) {
  for (int k = 0; k < std::min(a.rows, a.cols); ++k) {
    if (pivots) {
      int at = k;
      const auto size = [&](int i) { return std::abs(std::real(a(i, k))) + std::abs(std::imag(a(i, k))); };
      for (int i = k + 1; i < a.rows; ++i)
        if (size(i) > size(at)) at = i;
      pivots->push_back(at + 1);
      for (int j = 0; j < a.cols; ++j) std::swap(a(k, j), a(at, j));
    }
    for (int i = k + 1; i < a.rows; ++i) {
      a(i, k) /= a(k, k);
      for (int j = k + 1; j < a.cols; ++j) a(i, j) -= a(i, k) * a(k, j);
    }
  }
  return a;
}

template <class T>
void check_lu(cusolverDnHandle_t h, int m, int n) {
  const Device<int> info(1), pivots{size_t(std::min(m, n))};
  const Matrix<T> a = some_matrix<T>(m, n, m + 5);
  const Device<T> da(a.data);
  int size = 0;
  OK(Api<T>::getrf_size(h, m, n, da.get(), a.ld, &size));
  const Device<T> work{size_t(size)};
  OK(Api<T>::getrf(h, m, n, da.get(), a.ld, work.get(), pivots.get(), info.get()));
  EXPECT(info.read()[0] == 0);
  std::vector<int> exchanged;
  const Matrix<T> want = eliminate(a, &exchanged);
  EXPECT(pivots.read() == exchanged);
  NEAR(read(da, a), part(want, m, n), 10);
  if (m != n) return;
  const cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
  for (const cublasOperation_t op : kOperations) {
    const Matrix<T> square = part(a, n, n), x = some_matrix<T>(n, 3);
    const Device<T> db(((op == CUBLAS_OP_N ? square : adjoint(square, op == CUBLAS_OP_C)) * x).data);
    OK(Api<T>::getrs(h, op, n, 3, da.get(), a.ld, pivots.get(), db.get(), n, info.get()));
    NEAR(read(db, x), x, 10);
  }
  // Without exchanges.
  Matrix<T> heavy = part(a, n, n);
  for (int i = 0; i < n; ++i) heavy(i, i) += T(Real<T>(2 * n));
  const Device<T> dh(heavy.data);
  OK(Api<T>::getrf(h, n, n, dh.get(), n, work.get(), nullptr, info.get()));
  NEAR(read(dh, heavy), eliminate(heavy, nullptr));
  const Matrix<T> x = some_matrix<T>(n, 1);
  const Device<T> db((heavy * x).data);
  OK(Api<T>::getrs(h, CUBLAS_OP_N, n, 1, dh.get(), n, nullptr, db.get(), n, info.get()));
  NEAR(read(db, x), x);
  // The first zero pivot.
  Matrix<T> singular(4, 4);
  for (int i = 0; i < 4; ++i) singular(i, i) = T(i == 2 ? 0 : 1);
  const Device<T> ds(singular.data);
  OK(Api<T>::getrf(h, 4, 4, ds.get(), 4, work.get(), pivots.get(), info.get()));
  EXPECT(info.read()[0] == 3);
}

template <class T>
void check_qr(cusolverDnHandle_t h, int m, int n) {
  const int k = std::min(m, n);
  const Device<int> info(1);
  const Device<T> tau{size_t(k)};
  const Matrix<T> a = some_matrix<T>(m, n, m + 2);
  const Device<T> da(a.data);
  int size = 0;
  OK(Api<T>::geqrf_size(h, m, n, da.get(), a.ld, &size));
  const Device<T> work{size_t(size)};
  OK(Api<T>::geqrf(h, m, n, da.get(), a.ld, tau.get(), work.get(), size, info.get()));
  EXPECT(info.read()[0] == 0);
  const Matrix<T> factors = read(da, a);
  Matrix<T> r(m, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= std::min(j, m - 1); ++i) r(i, j) = factors(i, j);

  // Q = H_1 ... H_k from its definition.
  Matrix<T> q = identity<T>(m);
  const std::vector<T> factor = tau.read();
  for (int id = 0; id < k; ++id) {
    Matrix<T> reflector = identity<T>(m);
    const auto v = [&](int i) { return i < id ? T(0) : i == id ? T(1) : factors(i, id); };
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i) reflector(i, j) -= factor[id] * v(i) * conjugate(v(j));
    q = q * reflector;
  }
  NEAR(adjoint(q) * q, identity<T>(m));
  NEAR(q * r, part(a, m, n));
  for (int i = 0; i < k; ++i) EXPECT(std::imag(r(i, i)) == 0);  // as LAPACK's

  const cublasOperation_t turned = kComplex<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
  for (const bool left : {true, false})
    for (const cublasOperation_t op : {CUBLAS_OP_N, turned}) {
      const Matrix<T> c = left ? some_matrix<T>(m, 13, m + 1) : some_matrix<T>(13, m, 14);
      const cublasSideMode_t side = left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
      const Device<T> dc(c.data);
      OK(Api<T>::ormqr_size(h, side, op, c.rows, c.cols, k, da.get(), a.ld, tau.get(), dc.get(), c.ld, &size));
      const Device<T> more{size_t(size)};
      OK(Api<T>::ormqr(h, side, op, c.rows, c.cols, k, da.get(), a.ld, tau.get(), dc.get(), c.ld, more.get(), size,
                       info.get()));
      const Matrix<T> of_q = op == CUBLAS_OP_N ? q : adjoint(q), plain = part(c, c.rows, c.cols);
      NEAR(read(dc, c), left ? of_q * plain : plain * of_q);
    }

  OK(Api<T>::orgqr_size(h, m, k, k, da.get(), a.ld, tau.get(), &size));
  const Device<T> more{size_t(size)};
  OK(Api<T>::orgqr(h, m, k, k, da.get(), a.ld, tau.get(), more.get(), size, info.get()));
  NEAR(read(da, a), part(q, m, k));
}

// The functions with 64-bit sizes do the same.
void check_64(cusolverDnHandle_t h) {
  constexpr int n = 40;
  cusolverDnParams_t params;
  OK(cusolverDnCreateParams(&params));
  const Device<int> info(1);
  const Matrix<double> a = positive<double>(n, n), x = some_matrix<double>(n, 2);
  size_t device = 0, host = 0;
  for (const bool lu : {false, true}) {
    const Device<double> da(a.data), db((a * x).data);
    const Device<int64_t> pivots{size_t(n)};
    if (lu) {
      OK(cusolverDnXgetrf_bufferSize(h, params, n, n, CUDA_R_64F, da.at, n, CUDA_R_64F, &device, &host));
      const Device<double> work(device / 8 + 1), of_host(1);
      OK(cusolverDnXgetrf(h, params, n, n, CUDA_R_64F, da.at, n, pivots.get(), CUDA_R_64F, work.at, device, nullptr,
                          host, info.get()));
      OK(cusolverDnXgetrs(h, params, CUBLAS_OP_N, n, 2, CUDA_R_64F, da.at, n, pivots.get(), CUDA_R_64F, db.at, n,
                          info.get()));
    } else {
      OK(cusolverDnXpotrf_bufferSize(h, params, CUBLAS_FILL_MODE_UPPER, n, CUDA_R_64F, da.at, n, CUDA_R_64F, &device,
                                     &host));
      OK(cusolverDnXpotrf(h, params, CUBLAS_FILL_MODE_UPPER, n, CUDA_R_64F, da.at, n, CUDA_R_64F, nullptr, 0, nullptr,
                          0, info.get()));
      OK(cusolverDnXpotrs(h, params, CUBLAS_FILL_MODE_UPPER, n, 2, CUDA_R_64F, da.at, n, CUDA_R_64F, db.at, n,
                          info.get()));
    }
    EXPECT(info.read()[0] == 0);
    NEAR(read(db, x), x);
  }
  const Device<double> da(a.data), db(a.data), tau{size_t(n)}, same{size_t(n)};
  OK(cusolverDnXgeqrf_bufferSize(h, params, n, n, CUDA_R_64F, da.at, n, CUDA_R_64F, tau.at, CUDA_R_64F, &device, &host));
  OK(cusolverDnXgeqrf(h, params, n, n, CUDA_R_64F, da.at, n, CUDA_R_64F, tau.at, CUDA_R_64F, nullptr, 0, nullptr, 0,
                      info.get()));
  OK(cusolverDnDgeqrf(h, n, n, db.get(), n, same.get(), nullptr, 0, info.get()));
  EXPECT(da.read() == db.read() && tau.read() == same.read());
  OK(cusolverDnDestroyParams(params));
}

template <class T>
void check(cusolverDnHandle_t h) {
  check_cholesky<T>(h, 101, 104, 5);
  check_cholesky<T>(h, 3, 3, 1);
  check_cholesky_batch<T>(h);
  check_lu<T>(h, 100, 100);
  check_lu<T>(h, 110, 40);
  check_lu<T>(h, 40, 110);
  check_qr<T>(h, 50, 37);
  check_qr<T>(h, 34, 40);
}

}  // namespace

int main() {
  cusolverDnHandle_t h;
  OK(cusolverDnCreate(&h));
  cudaStream_t stream, have;
  cudaStreamCreate(&stream);
  OK(cusolverDnSetStream(h, stream));
  OK(cusolverDnGetStream(h, &have));
  EXPECT(have == stream);
  check<float>(h);
  check<double>(h);
  check<std::complex<float>>(h);
  check<std::complex<double>>(h);
  check_64(h);
  int size = 0;
  EXPECT(cusolverDnSpotrf_bufferSize(nullptr, CUBLAS_FILL_MODE_LOWER, 4, nullptr, 4, &size) ==
         CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT(cusolverDnSpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, 4, nullptr, 3, &size) == CUSOLVER_STATUS_INVALID_VALUE);
  OK(cusolverDnDestroy(h));
  std::puts("OK");
}
