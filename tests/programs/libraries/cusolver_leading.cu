// cuSOLVER's inverse of triangles, and the functions that find the first singular values, against what they are.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

template <class T>
constexpr cudaDataType kType =
    !kComplex<T> ? (sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F) : (sizeof(T) == 8 ? CUDA_C_32F : CUDA_C_64F);
template <class T>
constexpr cudaDataType kRealType = kType<Real<T>>;

template <class T>
auto gesvda(cusolverDnHandle_t h, int rank, const Device<T>& a, int m, int n, int batch, const Device<Real<T>>& s,
            const Device<T>& u, const Device<T>& v, const Device<int>& info, std::vector<double>* residuals) {
  const auto run = [&](auto size_of, auto function) {
    int size = 0;
    OK(size_of(h, CUSOLVER_EIG_MODE_VECTOR, rank, m, n, a.get(), m, m * n, s.get(), rank, u.get(), m, m * rank, v.get(),
               n, n * rank, &size, batch));
    const Device<T> work{size_t(size)};
    OK(function(h, CUSOLVER_EIG_MODE_VECTOR, rank, m, n, a.get(), m, m * n, s.get(), rank, u.get(), m, m * rank,
                v.get(), n, n * rank, work.get(), size, info.get(), residuals ? residuals->data() : nullptr, batch));
  };
  if constexpr (std::is_same_v<T, float>)
    run(cusolverDnSgesvdaStridedBatched_bufferSize, cusolverDnSgesvdaStridedBatched);
  else if constexpr (std::is_same_v<T, double>)
    run(cusolverDnDgesvdaStridedBatched_bufferSize, cusolverDnDgesvdaStridedBatched);
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    run(cusolverDnCgesvdaStridedBatched_bufferSize, cusolverDnCgesvdaStridedBatched);
  else
    run(cusolverDnZgesvdaStridedBatched_bufferSize, cusolverDnZgesvdaStridedBatched);
}

// U diag(s) V^H, and that both sets of vectors are orthonormal.
template <class T>
Matrix<T> product_of(const std::vector<T>& u, const std::vector<Real<T>>& s, const std::vector<T>& v, int m, int n,
                     int rank) {
  Matrix<T> left(m, rank), right(n, rank);
  left.data.assign(u.begin(), u.begin() + m * rank);
  right.data.assign(v.begin(), v.begin() + n * rank);
  NEAR(adjoint(left) * left, identity<T>(rank));
  NEAR(adjoint(right) * right, identity<T>(rank));
  for (int k = 0; k < rank; ++k) {
    EXPECT(k == 0 || s[k] <= s[k - 1]);
    for (int i = 0; i < m; ++i) left(i, k) *= T(s[k]);
  }
  return left * adjoint(right);
}
template <class T>
double distance(const Matrix<T>& a, const Matrix<T>& b) {
  double sum = 0;
  for (int j = 0; j < a.cols; ++j)
    for (int i = 0; i < a.rows; ++i) sum += std::norm(std::complex<double>(a(i, j) - b(i, j)));
  return std::sqrt(sum);
}

// A batch of matrices of rank 3: with three values they are whole, with two what is left is the third.
template <class T>
void check_batch(cusolverDnHandle_t h, int m, int n) {
  constexpr int batch = 3, kRank = 3;
  std::vector<Matrix<T>> a;
  std::vector<T> all;
  for (int id = 0; id < batch; ++id) {
    a.push_back(some_matrix<T>(m, kRank) * some_matrix<T>(kRank, n));
    all.insert(all.end(), a[id].data.begin(), a[id].data.end());
  }
  const Device<T> da(all), u{size_t(m * kRank * batch)}, v{size_t(n * kRank * batch)};
  const Device<Real<T>> s{size_t(kRank * batch)};
  const Device<int> info{size_t(batch)};
  std::vector<double> residuals(batch);
  std::vector<double> third(batch);
  for (const int rank : {3, 2}) {
    gesvda(h, rank, da, m, n, batch, s, u, v, info, &residuals);
    EXPECT(da.read() == all);
    const auto all_u = u.read(), all_v = v.read();
    const auto all_s = s.read();
    for (int id = 0; id < batch; ++id) {
      EXPECT(info.read()[id] == 0);
      const Matrix<T> product =
          product_of<T>({all_u.begin() + id * m * rank, all_u.end()}, {all_s.begin() + id * rank, all_s.end()},
                        {all_v.begin() + id * n * rank, all_v.end()}, m, n, rank);
      EXPECT(std::abs(residuals[id] - distance(a[id], product)) < 10 * kTolerance<T>);
      if (rank == 3) {
        NEAR(product, a[id]);
        third[id] = double(all_s[id * 3 + 2]);
      } else {
        EXPECT(std::abs(residuals[id] - third[id]) < 10 * kTolerance<T>);
      }
    }
  }
  gesvda(h, 1, da, m, n, batch, s, u, v, info, static_cast<std::vector<double>*>(nullptr));
}

template <class T>
void check_64(cusolverDnHandle_t h, int m, int n) {
  const int least = std::min(m, n), rank = least / 2;
  const Matrix<T> a = some_matrix<T>(m, n);
  const Device<T> first(a.data), second(a.data), u{size_t(m * m)}, v{size_t(n * n)};
  const Device<Real<T>> s{size_t(least)};
  const Device<int> info(1);
  size_t device = 0, host = 0;
  OK(cusolverDnXgesvdp_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, kType<T>, first.at, m, kRealType<T>,
                                  s.at, kType<T>, u.at, m, kType<T>, v.at, n, kType<T>, &device, &host));
  const Device<T> work(device / sizeof(T) + 1);
  double error = -1;
  OK(cusolverDnXgesvdp(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, kType<T>, first.at, m, kRealType<T>, s.at,
                       kType<T>, u.at, m, kType<T>, v.at, n, kType<T>, work.at, device, nullptr, host, info.get(),
                       &error));
  EXPECT(info.read()[0] == 0 && error == 0);
  NEAR(product_of<T>(u.read(), s.read(), v.read(), m, n, least), a);
  const auto all = s.read();
  OK(cusolverDnXgesvdr_bufferSize(h, nullptr, 'S', 'S', m, n, rank, 1, 2, kType<T>, second.at, m, kRealType<T>, s.at,
                                  kType<T>, u.at, m, kType<T>, v.at, n, kType<T>, &device, &host));
  const Device<T> more(device / sizeof(T) + 1);
  OK(cusolverDnXgesvdr(h, nullptr, 'S', 'S', m, n, rank, 1, 2, kType<T>, second.at, m, kRealType<T>, s.at, kType<T>,
                       u.at, m, kType<T>, v.at, n, kType<T>, more.at, device, nullptr, host, info.get()));
  EXPECT(info.read()[0] == 0);
  const auto leading = s.read();
  double rest = 0;
  for (int k = rank; k < least; ++k) rest += double(all[k]) * double(all[k]);
  for (int k = 0; k < rank; ++k) EXPECT(std::abs(leading[k] - all[k]) < kTolerance<T>);
  EXPECT(std::abs(distance(a, product_of<T>(u.read(), leading, v.read(), m, n, rank)) - std::sqrt(rest)) <
         10 * kTolerance<T>);
  EXPECT(cusolverDnXgesvdr_bufferSize(h, nullptr, 'S', 'S', m, n, least, 1, 2, kType<T>, second.at, m, kRealType<T>,
                                      s.at, kType<T>, u.at, m, kType<T>, v.at, n, kType<T>, &device,
                                      &host) == CUSOLVER_STATUS_INVALID_VALUE);
}

template <class T>
void check_triangle(cusolverDnHandle_t h, int n, int ld) {
  const Device<int> info(1);
  for (const cublasFillMode_t uplo : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER})
    for (const cublasDiagType_t diagonal : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
      const bool up = uplo == CUBLAS_FILL_MODE_UPPER, unit = diagonal == CUBLAS_DIAG_UNIT;
      Matrix<T> a = some_matrix<T>(n, n, ld), triangle(n, n);
      for (int j = 0; j < n; ++j) {
        a(j, j) = T(2 + j % 3);
        for (int i = 0; i < n; ++i) {
          if (i != j) a(i, j) *= T(Real<T>(0.2));
          if (up ? i < j : i > j) triangle(i, j) = a(i, j);
        }
        triangle(j, j) = unit ? T(1) : a(j, j);
      }
      const Device<T> da(a.data);
      size_t device = 0, host = 0;
      OK(cusolverDnXtrtri_bufferSize(h, uplo, diagonal, n, kType<T>, da.at, ld, &device, &host));
      const Device<T> work(device / sizeof(T) + 1);
      OK(cusolverDnXtrtri(h, uplo, diagonal, n, kType<T>, da.at, ld, work.at, device, nullptr, host, info.get()));
      EXPECT(info.read()[0] == 0);
      const Matrix<T> have = read(da, a);
      Matrix<T> inverse = identity<T>(n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          const bool inside = (up ? i < j : i > j) || (i == j && !unit);
          if (inside)
            inverse(i, j) = have(i, j);
          else
            EXPECT(have(i, j) == a(i, j));  // is not written
        }
      NEAR(triangle * inverse, identity<T>(n));
      // A zero on the diagonal is named, and the matrix stays.
      Matrix<T> singular = a;
      singular(n / 2, n / 2) = T(0);
      const Device<T> ds(singular.data);
      OK(cusolverDnXtrtri(h, uplo, diagonal, n, kType<T>, ds.at, ld, work.at, device, nullptr, host, info.get()));
      EXPECT(info.read()[0] == (unit ? 0 : n / 2 + 1));
      if (!unit) EXPECT(ds.read() == singular.data);
    }
}

template <class T>
void check(cusolverDnHandle_t h) {
  check_batch<T>(h, 11, 6);
  check_batch<T>(h, 5, 8);
  check_64<T>(h, 20, 13);
  check_64<T>(h, 9, 14);
  check_triangle<T>(h, 37, 40);
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
