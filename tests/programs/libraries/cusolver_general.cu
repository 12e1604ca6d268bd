// cuSOLVER's eigenvalues of general matrices: A v = value v for each, and what they add up to.
// RUN: -lcusolver
// EXPECT-STDOUT: OK
#include "solver_check.h"

namespace {

template <class T>
constexpr cudaDataType kType =
    !kComplex<T> ? (sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F) : (sizeof(T) == 8 ? CUDA_C_32F : CUDA_C_64F);

struct Found {
  std::vector<std::complex<double>> values;
  Matrix<std::complex<double>> vectors;  // columns
};

// `apart`: the values' real and imaginary parts lie one after the other.
template <class T>
Found eigen(cusolverDnHandle_t h, const Matrix<T>& a, bool apart, bool want_vectors = true) {
  using R = Real<T>;
  const int n = a.rows, ldv = n + 2;
  const cudaDataType of_values = apart ? kType<T> : kType<std::complex<R>>;
  const Device<T> da(a.data), vectors{size_t(ldv * n)};
  const Device<R> values{size_t(2 * n)};
  const Device<int> info(1);
  size_t device = 0, host = 0;
  const auto mode = want_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  OK(cusolverDnXgeev_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, kType<T>, da.at, a.ld, of_values,
                                values.at, kType<T>, nullptr, n, kType<T>, vectors.at, ldv, kType<T>, &device, &host));
  const Device<T> work(device / sizeof(T) + 1);
  OK(cusolverDnXgeev(h, nullptr, CUSOLVER_EIG_MODE_NOVECTOR, mode, n, kType<T>, da.at, a.ld, of_values, values.at,
                     kType<T>, nullptr, n, kType<T>, vectors.at, ldv, kType<T>, work.at, device, nullptr, host,
                     info.get()));
  EXPECT(info.read()[0] == 0);
  Found found{{}, Matrix<std::complex<double>>(n, n)};
  const auto parts = values.read();
  for (int k = 0; k < n; ++k)
    found.values.emplace_back(apart ? parts[k] : parts[2 * k], apart ? parts[n + k] : parts[2 * k + 1]);
  const auto v = vectors.read();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      if constexpr (kComplex<T>) {
        found.vectors(i, k) = std::complex<double>(v[k * ldv + i]);
      } else {
        const double im = found.values[k].imag();
        const int first = im < 0 ? k - 1 : k;
        found.vectors(i, k) = {v[first * ldv + i], im == 0 ? 0.0 : im > 0 ? v[(k + 1) * ldv + i] : -v[k * ldv + i]};
      }
    }
  return found;
}

template <class T>
void check_matrix(cusolverDnHandle_t h, const Matrix<T>& a, double scale = 1) {
  const int n = a.rows;
  for (const bool apart : {false, true}) {
    if (apart && kComplex<T>) continue;
    const Found found = eigen(h, a, apart);
    std::complex<double> trace = 0, sum = 0;
    for (int k = 0; k < n; ++k) {
      trace += std::complex<double>(a(k, k)), sum += found.values[k];
      double length = 0, most = 0, imaginary = 0;
      for (int i = 0; i < n; ++i) {
        std::complex<double> rest = -found.values[k] * found.vectors(i, k);
        for (int j = 0; j < n; ++j) rest += std::complex<double>(a(i, j)) * found.vectors(j, k);
        EXPECT(std::abs(rest) <= kTolerance<T> * scale);
        const double size = std::abs(found.vectors(i, k));
        length += size * size;
        if (size > most) most = size, imaginary = found.vectors(i, k).imag();
      }
      EXPECT(std::abs(length - 1) <= kTolerance<T> && std::abs(imaginary) <= kTolerance<T>);
      // Of a real matrix's pair the first has the positive imaginary part.
      if (!kComplex<T> && found.values[k].imag() < 0) EXPECT(found.values[k] == std::conj(found.values[k - 1]));
    }
    EXPECT(std::abs(trace - sum) <= kTolerance<T> * scale);
    const Found alone = eigen(h, a, apart, false);
    EXPECT(alone.values == found.values);
  }
}

template <class T>
void check(cusolverDnHandle_t h) {
  for (const int n : {1, 2, 3, 8, 33}) check_matrix(h, some_matrix<T>(n, n, n + n % 3), 4);
  // A permutation's values are roots of one, which no shift of the usual kind separates.
  Matrix<T> cycle(6, 6);
  for (int i = 0; i < 6; ++i) cycle((i + 1) % 6, i) = T(1);
  check_matrix(h, cycle);
  // A triangle's values are on its diagonal; one value has one vector only.
  Matrix<T> triangle(5, 5);
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i <= j; ++i) triangle(i, j) = T(i == j ? 1 + i % 4 : 1);
  const Found found = eigen(h, triangle, !kComplex<T>);
  for (int k = 0; k < 5; ++k) EXPECT(std::abs(found.values[k] - double(1 + k % 4)) < kTolerance<T>);
  check_matrix(h, triangle);
  check_matrix(h, Matrix<T>(4, 4));
  check_matrix(h, identity<T>(7));
  // What cuSOLVER refuses.
  size_t device = 0, host = 0;
  EXPECT(cusolverDnXgeev_bufferSize(h, nullptr, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_VECTOR, 4, kType<T>,
                                    nullptr, 4, kType<T>, nullptr, kType<T>, nullptr, 4, kType<T>, nullptr, 4, kType<T>,
                                    &device, &host) == CUSOLVER_STATUS_INVALID_VALUE);
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
