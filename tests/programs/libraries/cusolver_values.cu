// cuSOLVER's eigenvalues and singular values: against known ones, and against their definitions.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

const double kPi = std::acos(-1.0);

// A phase for each row: D A D^H has the eigenvalues of A.
template <class T>
T phase(int i) {
  if constexpr (kComplex<T>)
    return std::polar(Real<T>(1), Real<T>(0.7 * i));
  else
    return T(i % 2 ? -1 : 1);
}
// The second difference, whose eigenvalues are 2 - 2 cos(k pi / (n + 1)).
template <class T>
Matrix<T> second_difference(int n, int ld) {
  Matrix<T> a(n, n, ld);
  for (int i = 0; i < n; ++i) {
    a(i, i) = T(2);
    if (i > 0) a(i, i - 1) = -phase<T>(i) * conjugate(phase<T>(i - 1)), a(i - 1, i) = conjugate(a(i, i - 1));
  }
  return a;
}
template <class T>
Matrix<T> hermitian(int n, int ld) {
  const Matrix<T> m = some_matrix<T>(n, n);
  Matrix<T> a(n, n, ld);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a(i, j) = m(i, j) + conjugate(m(j, i));
  return a;
}

// A V = V diag(w), V^H V = 1, w ascending.
template <class T>
void check_vectors(const Matrix<T>& a, const Matrix<T>& v, const std::vector<Real<T>>& w) {
  const int n = a.rows;
  Matrix<T> scaled = v;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) scaled(i, j) *= w[j];
  NEAR(a * v, scaled);
  NEAR(adjoint(v) * v, identity<T>(n));
  EXPECT(std::is_sorted(w.begin(), w.end()));
}
template <class T>
void expect_values(const std::vector<Real<T>>& have, const std::vector<Real<T>>& want) {
  EXPECT(have.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT(std::abs(double(have[i]) - double(want[i])) <= kTolerance<T>);
}

template <class T>
void check_eigenvalues(cusolverDnHandle_t h, int n) {
  const int ld = n + 3;
  const Device<int> info(1);
  const Device<Real<T>> w{size_t(n)};
  std::vector<Real<T>> known;
  for (int k = 1; k <= n; ++k) known.push_back(Real<T>(2 - 2 * std::cos(k * kPi / (n + 1))));
  syevjInfo_t params;
  OK(cusolverDnCreateSyevjInfo(&params));
  for (const cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (const bool simple : {false, true}) {
      const Matrix<T> a = simple ? second_difference<T>(n, ld) : hermitian<T>(n, ld);
      Matrix<T> other = a;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          if (uplo == CUBLAS_FILL_MODE_UPPER ? i > j : i < j) other(i, j) = T(77);
      const Device<T> da(other.data), db(other.data), dc(other.data);
      int size = 0;
      OK(Api<T>::syevd_size(h, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.get(), ld, w.get(), &size));
      const Device<T> work{size_t(size)};
      OK(Api<T>::syevd(h, CUSOLVER_EIG_MODE_VECTOR, uplo, n, da.get(), ld, w.get(), work.get(), size, info.get()));
      EXPECT(info.read()[0] == 0);
      const std::vector<Real<T>> values = w.read();
      check_vectors(part(a, n, n), part(read(da, a), n, n), values);
      if (simple) expect_values<T>(values, known);
      OK(Api<T>::syevd(h, CUSOLVER_EIG_MODE_NOVECTOR, uplo, n, db.get(), ld, w.get(), work.get(), size, info.get()));
      expect_values<T>(w.read(), values);
      OK(Api<T>::syevj_size(h, CUSOLVER_EIG_MODE_VECTOR, uplo, n, dc.get(), ld, w.get(), &size, params));
      const Device<T> more{size_t(size)};
      OK(Api<T>::syevj(h, CUSOLVER_EIG_MODE_VECTOR, uplo, n, dc.get(), ld, w.get(), more.get(), size, info.get(),
                       params));
      check_vectors(part(a, n, n), part(read(dc, a), n, n), w.read());
      double residual = -1;
      int sweeps = 0;
      OK(cusolverDnXsyevjGetResidual(h, params, &residual));
      OK(cusolverDnXsyevjGetSweeps(h, params, &sweeps));
      EXPECT(residual >= 0 && residual < kTolerance<T> && sweeps > 1 && sweeps < 15);
    }
  // One sweep does not suffice, and says so.
  OK(cusolverDnXsyevjSetMaxSweeps(params, 1));
  const Matrix<T> a = hermitian<T>(n, n);
  const Device<T> da(a.data);
  int size = 0;
  OK(Api<T>::syevj_size(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.get(), n, w.get(), &size, params));
  const Device<T> work{size_t(size)};
  OK(Api<T>::syevj(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.get(), n, w.get(), work.get(), size,
                   info.get(), params));
  EXPECT(info.read()[0] == n + 1);
  OK(cusolverDnDestroySyevjInfo(params));
}

template <class T>
void check_eigenvalue_batch(cusolverDnHandle_t h) {
  constexpr int n = 8, batch = 4;
  std::vector<Matrix<T>> a;
  std::vector<T> all;
  for (int id = 0; id < batch; ++id) {
    a.push_back(hermitian<T>(n, n));
    all.insert(all.end(), a[id].data.begin(), a[id].data.end());
  }
  const Device<T> da(all);
  const Device<Real<T>> w{size_t(n) * batch};
  const Device<int> info{size_t(batch)};
  syevjInfo_t params;
  OK(cusolverDnCreateSyevjInfo(&params));
  OK(cusolverDnXsyevjSetTolerance(params, 1e-7));
  OK(cusolverDnXsyevjSetSortEig(params, 1));
  int size = 0;
  OK(Api<T>::syevj_batched_size(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.get(), n, w.get(), &size,
                                params, batch));
  OK(cusolverDnXsyevjSetTolerance(params, 0));
  const Device<T> work{size_t(size)};
  OK(Api<T>::syevj_batched(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da.get(), n, w.get(), work.get(),
                           size, info.get(), params, batch));
  OK(cusolverDnDestroySyevjInfo(params));
  const auto check_all = [&](const Device<T>& of_vectors) {
    const std::vector<T> vectors = of_vectors.read();
    const std::vector<Real<T>> values = w.read();
    for (int id = 0; id < batch; ++id) {
      Matrix<T> v(n, n);
      std::copy_n(vectors.begin() + id * n * n, n * n, v.data.begin());
      check_vectors(a[id], v, std::vector<Real<T>>(values.begin() + id * n, values.begin() + (id + 1) * n));
      EXPECT(info.read()[id] == 0);
    }
  };
  check_all(da);
  // With 64-bit sizes.
  const Device<T> again(all);
  const auto type = [](bool complex) {
    return sizeof(Real<T>) == 4 ? (complex ? CUDA_C_32F : CUDA_R_32F) : complex ? CUDA_C_64F : CUDA_R_64F;
  };
  size_t device = 0, host = 0;
  OK(cusolverDnXsyevBatched_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n,
                                       type(kComplex<T>), again.at, n, type(false), w.at, type(kComplex<T>), &device,
                                       &host, batch));
  const Device<T> more(device / sizeof(T) + 1);
  OK(cusolverDnXsyevBatched(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, type(kComplex<T>),
                            again.at, n, type(false), w.at, type(kComplex<T>), more.at, device, nullptr, host,
                            info.get(), batch));
  check_all(again);
}

// A = U diag(s) V^H, U^H U = 1, V^H V = 1, s descending.
template <class T>
void check_svd(const Matrix<T>& a, const Matrix<T>& u, const std::vector<Real<T>>& s, const Matrix<T>& v) {
  const int least = std::min(a.rows, a.cols);
  Matrix<T> scaled = part(u, a.rows, least);
  for (int j = 0; j < least; ++j)
    for (int i = 0; i < a.rows; ++i) scaled(i, j) *= s[j];
  NEAR(scaled * adjoint(part(v, a.cols, least)), a);
  NEAR(adjoint(u) * u, identity<T>(u.cols));
  NEAR(adjoint(v) * v, identity<T>(v.cols));
  EXPECT(std::is_sorted(s.rbegin(), s.rend()) && s.back() >= 0);
}
// Of less rank than it has columns.
template <class T>
Matrix<T> poor_matrix(int m, int n, int rank, int ld) {
  const Matrix<T> product = some_matrix<T>(m, rank) * some_matrix<T>(rank, n);
  Matrix<T> a(m, n, ld);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) a(i, j) = product(i, j);
  return a;
}

template <class T>
void check_gesvd(cusolverDnHandle_t h, int m, int n, int rank) {
  const Matrix<T> a = poor_matrix<T>(m, n, rank, m + 1), plain = part(a, m, n);
  const Device<int> info(1);
  const Device<Real<T>> s{size_t(n)};
  int size = 0;
  OK(Api<T>::gesvd_size(h, m, n, &size));
  const Device<T> work{size_t(size)};
  std::vector<Real<T>> values;
  for (const char job : {'A', 'S', 'O'}) {
    const Matrix<T> like_u(m, job == 'A' ? m : n, m + 2), like_v(n, n, n + 1);
    const Device<T> da(a.data), u(like_u.data), vt(like_v.data);
    OK(Api<T>::gesvd(h, job, 'A', m, n, da.get(), a.ld, s.get(), job == 'O' ? nullptr : u.get(), like_u.ld, vt.get(),
                     like_v.ld, work.get(), size, nullptr, info.get()));
    EXPECT(info.read()[0] == 0);
    values = s.read();
    const Matrix<T> have_u = job == 'O' ? part(read(da, a), m, n) : part(read(u, like_u), m, like_u.cols);
    check_svd(plain, have_u, values, adjoint(part(read(vt, like_v), n, n)));
  }
  for (int i = rank; i < n; ++i) EXPECT(values[i] <= kTolerance<T>);
  const Device<T> da(a.data);
  OK(Api<T>::gesvd(h, 'N', 'N', m, n, da.get(), a.ld, s.get(), nullptr, m, nullptr, n, work.get(), size, nullptr,
                   info.get()));
  expect_values<T>(s.read(), values);
  EXPECT(Api<T>::gesvd_size(h, n - 1, n, &size) == CUSOLVER_STATUS_INVALID_VALUE);
}

template <class T>
void check_gesvdj(cusolverDnHandle_t h, int m, int n) {
  const int least = std::min(m, n);
  const Matrix<T> a = some_matrix<T>(m, n, m + 1);
  const Device<int> info(1);
  const Device<Real<T>> s{size_t(least)};
  gesvdjInfo_t params;
  OK(cusolverDnCreateGesvdjInfo(&params));
  for (const int economic : {0, 1}) {
    const Matrix<T> like_u(m, economic ? least : m, m + 2), like_v(n, economic ? least : n, n + 1);
    const Device<T> da(a.data), u(like_u.data), v(like_v.data);
    int size = 0;
    OK(Api<T>::gesvdj_size(h, CUSOLVER_EIG_MODE_VECTOR, economic, m, n, da.get(), a.ld, s.get(), u.get(), like_u.ld,
                           v.get(), like_v.ld, &size, params));
    const Device<T> work{size_t(size)};
    OK(Api<T>::gesvdj(h, CUSOLVER_EIG_MODE_VECTOR, economic, m, n, da.get(), a.ld, s.get(), u.get(), like_u.ld,
                      v.get(), like_v.ld, work.get(), size, info.get(), params));
    EXPECT(info.read()[0] == 0);
    check_svd(part(a, m, n), part(read(u, like_u), m, like_u.cols), s.read(), part(read(v, like_v), n, like_v.cols));
    int sweeps = 0;
    OK(cusolverDnXgesvdjGetSweeps(h, params, &sweeps));
    EXPECT(sweeps > 1 && sweeps < 20);
  }
  OK(cusolverDnDestroyGesvdjInfo(params));
}

template <class T>
void check_gesvdj_batch(cusolverDnHandle_t h) {
  constexpr int m = 5, n = 7, batch = 3;
  std::vector<Matrix<T>> a;
  std::vector<T> all;
  for (int id = 0; id < batch; ++id) {
    a.push_back(some_matrix<T>(m, n));
    all.insert(all.end(), a[id].data.begin(), a[id].data.end());
  }
  const Device<T> da(all), u{size_t(m * m * batch)}, v{size_t(n * n * batch)};
  const Device<Real<T>> s{size_t(m * batch)};
  const Device<int> info{size_t(batch)};
  gesvdjInfo_t params;
  OK(cusolverDnCreateGesvdjInfo(&params));
  int size = 0;
  OK(Api<T>::gesvdj_batched_size(h, CUSOLVER_EIG_MODE_VECTOR, m, n, da.get(), m, s.get(), u.get(), m, v.get(), n, &size,
                                 params, batch));
  const Device<T> work{size_t(size)};
  OK(Api<T>::gesvdj_batched(h, CUSOLVER_EIG_MODE_VECTOR, m, n, da.get(), m, s.get(), u.get(), m, v.get(), n, work.get(),
                            size, info.get(), params, batch));
  const std::vector<T> all_u = u.read(), all_v = v.read();
  const std::vector<Real<T>> all_s = s.read();
  for (int id = 0; id < batch; ++id) {
    Matrix<T> of_u(m, m), of_v(n, n);
    std::copy_n(all_u.begin() + id * m * m, m * m, of_u.data.begin());
    std::copy_n(all_v.begin() + id * n * n, n * n, of_v.data.begin());
    check_svd(a[id], of_u, std::vector<Real<T>>(all_s.begin() + id * m, all_s.begin() + (id + 1) * m), of_v);
  }
  OK(cusolverDnDestroyGesvdjInfo(params));
}

// The functions with 64-bit sizes do the same.
void check_64(cusolverDnHandle_t h) {
  constexpr int n = 20;
  using T = std::complex<double>;
  const Matrix<T> a = hermitian<T>(n, n);
  const Device<T> da(a.data), db(a.data);
  const Device<double> w{size_t(n)}, s{size_t(n)};
  const Device<int> info(1);
  size_t device = 0, host = 0;
  OK(cusolverDnXsyevd_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, CUDA_C_64F, da.at, n,
                                 CUDA_R_64F, w.at, CUDA_C_64F, &device, &host));
  const Device<double> work(device / 8 + 1);
  OK(cusolverDnXsyevd(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, CUDA_C_64F, da.at, n, CUDA_R_64F,
                      w.at, CUDA_C_64F, work.at, device, nullptr, host, info.get()));
  check_vectors(a, read(da, a), w.read());
  OK(cusolverDnXgesvd_bufferSize(h, nullptr, 'N', 'N', n, n, CUDA_C_64F, db.at, n, CUDA_R_64F, s.at, CUDA_C_64F,
                                 nullptr, n, CUDA_C_64F, nullptr, n, CUDA_C_64F, &device, &host));
  const Device<double> more(device / 8 + 1);
  OK(cusolverDnXgesvd(h, nullptr, 'N', 'N', n, n, CUDA_C_64F, db.at, n, CUDA_R_64F, s.at, CUDA_C_64F, nullptr, n,
                      CUDA_C_64F, nullptr, n, CUDA_C_64F, more.at, device, nullptr, host, info.get()));
  std::vector<double> sizes = w.read();  // a Hermitian matrix's singular values
  for (double& x : sizes) x = std::abs(x);
  std::sort(sizes.rbegin(), sizes.rend());
  expect_values<T>(s.read(), sizes);
}

template <class T>
void check(cusolverDnHandle_t h) {
  check_eigenvalues<T>(h, 33);
  check_eigenvalues<T>(h, 40);
  check_eigenvalue_batch<T>(h);
  check_gesvd<T>(h, 50, 31, 31);
  check_gesvd<T>(h, 30, 30, 20);
  check_gesvdj<T>(h, 41, 24);
  check_gesvdj<T>(h, 24, 41);
  check_gesvdj_batch<T>(h);
}

}  // namespace

int main() {
  cusolverDnHandle_t h;
  OK(cusolverDnCreate(&h));
  check<float>(h);
  check<double>(h);
  check<std::complex<float>>(h);
  check<std::complex<double>>(h);
  check_64(h);
  OK(cusolverDnDestroy(h));
  std::puts("OK");
}
