// cuBLAS's functions against sums on the host.
// RUN: -lcublas
// EXPECT-STDOUT: OK
#include <cublas_v2.h>

#include <cmath>

#include "blas_check.h"

#define CHECK(call) CHECK_STATUS(call, cublasGetStatusName)

unsigned state = 1;
double number() {  // of eighths in [-2, 2): sums of products are exact
  state = state * 1664525u + 1013904223u;
  return int(state >> 27) / 8.0 - 2.0;
}
template <class T>
std::vector<T> numbers(size_t n) {
  std::vector<T> v(n);
  for (T& x : v) x = T(number());
  return v;
}
template <class T>
std::vector<T> narrowed(const std::vector<double>& from) {
  return std::vector<T>(from.begin(), from.end());
}

double at(const std::vector<double>& a, bool transposed, int ld, int i, int l) {
  return transposed ? a[i * ld + l] : a[l * ld + i];
}

struct Shape {
  int m, n, k;
};

// The product in doubles, which is exact.
std::vector<double> expected(Shape s, bool ta, bool tb, double alpha, const std::vector<double>& a, int lda,
                             const std::vector<double>& b, int ldb, double beta, std::vector<double> c, int ldc) {
  for (int j = 0; j < s.n; ++j)
    for (int i = 0; i < s.m; ++i) {
      double sum = 0;
      for (int l = 0; l < s.k; ++l) sum += at(a, ta, lda, i, l) * at(b, tb, ldb, l, j);
      c[j * ldc + i] = alpha * sum + (beta == 0 ? 0 : beta * c[j * ldc + i]);
    }
  return c;
}

template <class In, class Out, class Call>
void check_product(Shape s, double beta, Call&& call) {
  for (int transposes = 0; transposes < 4; ++transposes) {
    const bool ta = transposes & 1, tb = transposes & 2;
    const int lda = (ta ? s.k : s.m) + 1, ldb = (tb ? s.n : s.k) + 2, ldc = s.m + 3;
    const auto a = numbers<double>(size_t(lda) * (ta ? s.m : s.k)), b = numbers<double>(size_t(ldb) * (tb ? s.k : s.n));
    const auto c = numbers<double>(size_t(ldc) * s.n);
    Device<In> da(narrowed<In>(a)), db(narrowed<In>(b));
    Device<Out> dc(narrowed<Out>(c));
    CHECK(
        call(ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, da.data, lda, db.data, ldb, dc.data, ldc));
    const auto want = narrowed<Out>(expected(s, ta, tb, 0.5, a, lda, b, ldb, beta, c, ldc));
    const auto got = dc.get();
    for (size_t i = 0; i < want.size(); ++i)
      if (!(float(want[i]) == float(got[i]))) {
        std::printf("%d x %d x %d, transposes %d: element %zu is %g, not %g\n", s.m, s.n, s.k, transposes, i,
                    float(got[i]), float(want[i]));
        std::exit(1);
      }
  }
}

template <class T>
cublasStatus_t gemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Shape s, const T* alpha, const T* a,
                    int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  if constexpr (sizeof(T) == 4)
    return cublasSgemm(h, ta, tb, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc);
  else
    return cublasDgemm(h, ta, tb, s.m, s.n, s.k, alpha, a, lda, b, ldb, beta, c, ldc);
}

template <class T>
void products_of(cublasHandle_t h) {
  for (Shape s : {Shape{1, 1, 1}, Shape{64, 64, 16}, Shape{65, 63, 17}, Shape{130, 3, 40}, Shape{5, 70, 0}})
    for (double beta : {0.0, 2.0}) {
      const T alpha = T(0.5), kept = T(beta);
      check_product<T, T>(s, beta, [&](auto ta, auto tb, auto* a, int lda, auto* b, int ldb, auto* c, int ldc) {
        return gemm<T>(h, ta, tb, s, &alpha, a, lda, b, ldb, &kept, c, ldc);
      });
    }
}

template <class In, class Out>
void mixed(cublasHandle_t h, cudaDataType in, cudaDataType out) {
  const float alpha = 0.5f, beta = 2.0f;
  const Shape s{33, 70, 24};
  check_product<In, Out>(s, beta, [&](auto ta, auto tb, auto* a, int lda, auto* b, int ldb, auto* c, int ldc) {
    return cublasGemmEx(h, ta, tb, s.m, s.n, s.k, &alpha, a, in, lda, b, in, ldb, &beta, c, out, ldc,
                        CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  });
}

void batches(cublasHandle_t h) {
  const int n = 20, count = 5;
  const auto a = numbers<float>(n * n * count), b = numbers<float>(n * n * count);
  Device<float> da(a), db(b), dc(std::vector<float>(n * n * count)), dd(std::vector<float>(n * n * count));
  const float one = 1, zero = 0;
  CHECK(cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, da.data, n, n * n, db.data, n, n * n,
                                  &zero, dc.data, n, n * n, count));
  std::vector<float*> pa, pb, pd;
  for (int i = 0; i < count; ++i)
    pa.push_back(da.data + i * n * n), pb.push_back(db.data + i * n * n), pd.push_back(dd.data + i * n * n);
  Device<float*> dpa(pa), dpb(pb), dpd(pd);
  CHECK(cublasSgemmBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, dpa.data, n, dpb.data, n, &zero, dpd.data, n,
                           count));
  const auto got = dc.get();
  EXPECT(got == dd.get());
  float sum = 0;
  for (int l = 0; l < n; ++l) sum += a[3 * n * n + l * n + 7] * b[3 * n * n + l * n + 2];
  EXPECT(got[3 * n * n + 2 * n + 7] == sum);
}

template <class T>
void vectors(cublasHandle_t h) {
  constexpr bool single = sizeof(T) == 4;
  const int n = 5000;
  auto x = numbers<T>(2 * n), y = numbers<T>(n);
  x[2 * 1234] = T(-7);
  Device<T> dx(x), dy(y);
  T dot = 0, nrm = 0, sum = 0;
  int largest = 0, smallest = 0;
  const T two = 2;
  double want_dot = 0, want_sum = 0, want_squares = 0;
  for (int i = 0; i < n; ++i) {
    want_dot += double(x[2 * i]) * double(y[n - 1 - i]);
    want_sum += std::fabs(double(x[2 * i]));
    want_squares += double(x[2 * i]) * double(x[2 * i]);
  }
  if constexpr (single) {
    CHECK(cublasSdot(h, n, dx.data, 2, dy.data, -1, &dot));
    CHECK(cublasSnrm2(h, n, dx.data, 2, &nrm));
    CHECK(cublasSasum(h, n, dx.data, 2, &sum));
    CHECK(cublasIsamax(h, n, dx.data, 2, &largest));
    CHECK(cublasIsamin(h, n, dx.data, 2, &smallest));
    CHECK(cublasSaxpy(h, n, &two, dx.data, 2, dy.data, -1));
    CHECK(cublasSscal(h, n, &two, dx.data, 2));
    CHECK(cublasSswap(h, 10, dx.data, 1, dy.data, 1));
  } else {
    CHECK(cublasDdot(h, n, dx.data, 2, dy.data, -1, &dot));
    CHECK(cublasDnrm2(h, n, dx.data, 2, &nrm));
    CHECK(cublasDasum(h, n, dx.data, 2, &sum));
    CHECK(cublasIdamax(h, n, dx.data, 2, &largest));
    CHECK(cublasIdamin(h, n, dx.data, 2, &smallest));
    CHECK(cublasDaxpy(h, n, &two, dx.data, 2, dy.data, -1));
    CHECK(cublasDscal(h, n, &two, dx.data, 2));
    CHECK(cublasDswap(h, 10, dx.data, 1, dy.data, 1));
  }
  EXPECT(double(dot) == want_dot);
  EXPECT(double(sum) == want_sum);
  EXPECT(single ? nrm == T(std::sqrt(want_squares)) : std::fabs(double(nrm) - std::sqrt(want_squares)) < 1e-14 * nrm);
  EXPECT(largest == 1235);
  int first = 0;
  while (x[2 * first] != T(0)) ++first;
  EXPECT(smallest == first + 1);
  const auto got_x = dx.get(), got_y = dy.get();
  EXPECT(got_y[n - 1 - 100] == y[n - 1 - 100] + 2 * x[200]);
  EXPECT(got_x[200] == 2 * x[200] && got_x[201] == x[201]);
  EXPECT(got_x[3] == y[3] + 2 * x[2 * (n - 1 - 3)] && got_y[3] == x[3]);
}

// Each thread sums thousands of squares, whose rounding must not add up.
void long_norm(cublasHandle_t h) {
  const int n = 1 << 23;
  std::vector<float> x(n);
  double squares = 0;
  for (int i = 0; i < n; ++i) x[i] = float((i + 1) % 7), squares += double(x[i]) * double(x[i]);
  Device<float> dx(x);
  float norm = 0;
  CHECK(cublasSnrm2(h, n, dx.data, 1, &norm));
  EXPECT(norm == float(std::sqrt(squares)));
}

void matrix_and_vector(cublasHandle_t h) {
  const int m = 300, n = 77, lda = 310;
  const auto a = numbers<float>(lda * n), x = numbers<float>(m), y = numbers<float>(m);
  Device<float> da(a), dx(x), dy(y), dz(x);
  const float alpha = 0.5f, beta = 2, zero = 0;
  CHECK(cublasSgemv(h, CUBLAS_OP_N, m, n, &alpha, da.data, lda, dx.data, 1, &beta, dy.data, 1));
  CHECK(cublasSgemv(h, CUBLAS_OP_T, m, n, &alpha, da.data, lda, dx.data, 1, &zero, dz.data, -1));
  const auto got = dy.get(), transposed = dz.get();
  for (int i = 0; i < m; ++i) {
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += a[j * lda + i] * x[j];
    EXPECT(got[i] == 0.5f * sum + 2 * y[i]);
  }
  for (int j = 0; j < n; ++j) {
    float sum = 0;
    for (int i = 0; i < m; ++i) sum += a[j * lda + i] * x[i];
    EXPECT(transposed[n - 1 - j] == 0.5f * sum);
  }
  CHECK(cublasSger(h, m, n, &alpha, dx.data, 1, dx.data, 1, da.data, lda));
  EXPECT(da.get()[5 * lda + 9] == a[5 * lda + 9] + 0.5f * x[9] * x[5]);
}

// op(A) X = 2 B and X op(A) = 2 B: the product with A is B again.
void triangles(cublasHandle_t h) {
  const int m = 37, n = 12;
  for (int variant = 0; variant < 16; ++variant) {
    const bool left = variant & 1, lower = variant & 2, transposed = variant & 4, unit = variant & 8;
    const int order = left ? m : n;
    std::vector<double> a(order * order), b = numbers<double>(m * n);
    for (int j = 0; j < order; ++j)
      for (int i = 0; i < order; ++i) a[j * order + i] = i == j ? 4.0 : number() / 16;
    Device<double> da(a), db(b);
    const double two = 2;
    CHECK(cublasDtrsm(h, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT,
                      lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, m, n, &two, da.data, order, db.data, m));
    const auto x = db.get();
    const auto of = [&](int i, int j) {  // op(A)
      if (transposed) std::swap(i, j);
      if (i == j) return unit ? 1.0 : 4.0;
      return (i > j) == lower ? a[j * order + i] : 0.0;
    };
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int l = 0; l < order; ++l) sum += left ? of(i, l) * x[j * m + l] : x[l * m + i] * of(l, j);
        EXPECT(std::fabs(sum - 2 * b[j * m + i]) < 1e-12);
      }
  }
}

// Many systems: the same as one after the other.
void triangles_in_batches(cublasHandle_t h) {
  const int m = 9, n = 70, count = 5;
  auto a = numbers<float>(n * n * count), b = numbers<float>(m * n * count);
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) a[k * n * n + i * n + i] = 40;
  Device<float> da(a), db(b), dc(b);
  std::vector<const float*> pa;
  std::vector<float*> pb;
  for (int k = 0; k < count; ++k) pa.push_back(da.data + k * n * n), pb.push_back(db.data + k * m * n);
  Device<const float*> dpa(pa);
  Device<float*> dpb(pb);
  const float alpha = 0.5f;
  CHECK(cublasStrsmBatched(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &alpha,
                           dpa.data, n, dpb.data, m, count));
  for (int k = 0; k < count; ++k)
    CHECK(cublasStrsm(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &alpha,
                      da.data + k * n * n, n, dc.data + k * m * n, m));
  EXPECT(db.get() == dc.get());
  EXPECT(cublasStrsmBatched(h, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, m, n, &alpha,
                            dpa.data, n - 1, dpb.data, m, count) == CUBLAS_STATUS_INVALID_VALUE);
}

void factors(cublasHandle_t h) {
  const int n = 24, count = 3;
  const auto a = numbers<double>(n * n * count), b = numbers<double>(n * count);
  Device<double> da(a), db(b), dc(a);
  std::vector<double*> pa, pb, pc;
  for (int i = 0; i < count; ++i)
    pa.push_back(da.data + i * n * n), pb.push_back(db.data + i * n), pc.push_back(dc.data + i * n * n);
  Device<double*> dpa(pa), dpb(pb), dpc(pc);
  Device<int> pivots(std::vector<int>(n * count)), info(std::vector<int>(count, 9));
  CHECK(cublasDgetrfBatched(h, n, dpa.data, n, pivots.data, info.data, count));
  EXPECT(info.get() == std::vector<int>(count, 0));
  int wrong = 1;
  CHECK(cublasDgetrsBatched(h, CUBLAS_OP_N, n, 1, dpa.data, n, pivots.data, dpb.data, n, &wrong, count));
  EXPECT(wrong == 0);
  CHECK(cublasDgetriBatched(h, n, dpa.data, n, pivots.data, dpc.data, n, info.data, count));
  const auto x = db.get(), inverse = dc.get();
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n; ++i) {
      double sum = 0, one = 0;
      for (int l = 0; l < n; ++l)
        sum += a[k * n * n + l * n + i] * x[k * n + l],
            one += a[k * n * n + l * n + i] * inverse[k * n * n + i * n + l];
      EXPECT(std::fabs(sum - b[k * n + i]) < 1e-8);
      EXPECT(std::fabs(one - 1) < 1e-8);
    }
}

// Vectors whose types are arguments: with strides, backwards, and with the result on the device.
template <class T, class Value>
void typed_vectors(cublasHandle_t h, cudaDataType type, cudaDataType computed) {
  const int n = 1000;
  const auto x = numbers<double>(2 * n), y = numbers<double>(n);
  Device<T> dx(narrowed<T>(x)), dy(narrowed<T>(y));
  double dot = 0, norm = 0;
  for (int i = 0; i < n; ++i) dot += x[2 * i] * y[n - 1 - i], norm += x[2 * i] * x[2 * i];
  T result;
  CHECK(cublasDotEx(h, n, dx.data, type, 2, dy.data, type, -1, &result, type, computed));
  EXPECT(float(result) == float(T(Value(dot))));
  CHECK(cublasNrm2Ex_64(h, n, dx.data, type, 2, &result, type, computed));
  EXPECT(std::fabs(double(float(result)) / std::sqrt(norm) - 1) < 0.005);
  const Value alpha = 0.5;
  CHECK(cublasAxpyEx(h, n, &alpha, computed, dx.data, type, 2, dy.data, type, -1, computed));
  CHECK(cublasScalEx(h, n, &alpha, computed, dx.data, type, 2, computed));
  const auto got_x = dx.get(), got_y = dy.get();
  for (int i = 0; i < n; ++i) {
    EXPECT(float(got_y[n - 1 - i]) == float(T(Value(y[n - 1 - i] + 0.5 * x[2 * i]))));
    EXPECT(float(got_x[2 * i]) == float(T(Value(0.5 * x[2 * i]))) && float(got_x[2 * i + 1]) == float(x[2 * i + 1]));
  }
  Device<T> sum(std::vector<T>(1));
  CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  CHECK(cublasDotcEx(h, 2, dx.data + 1, type, 2, dx.data + 1, type, 2, sum.data, type, computed));
  CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  EXPECT(float(sum.get()[0]) == float(T(Value(x[1] * x[1] + x[3] * x[3]))));
  EXPECT(cublasDotEx(h, n, dx.data, type, 2, dy.data, type, 1, &result, type, CUDA_R_16F) ==
         CUBLAS_STATUS_NOT_SUPPORTED);
}

// Scalars and results on the device, in a stream.
void on_the_device(cublasHandle_t h) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  CHECK(cublasSetStream(h, stream));
  CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
  Device<float> x({1, 2, 3}), y({10, 20, 30}), alpha({2}), result({0});
  CHECK(cublasSaxpy(h, 3, alpha.data, x.data, 1, y.data, 1));
  CHECK(cublasSdot(h, 3, x.data, 1, y.data, 1, result.data));
  cudaStreamSynchronize(stream);
  EXPECT(y.get() == std::vector<float>({12, 24, 36}));
  EXPECT(result.get()[0] == 168);
  CHECK(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
  CHECK(cublasSetStream(h, nullptr));
}

int main() {
  cublasHandle_t h;
  CHECK(cublasCreate(&h));
  products_of<float>(h);
  products_of<double>(h);
  mixed<__half, __half>(h, CUDA_R_16F, CUDA_R_16F);
  mixed<__half, float>(h, CUDA_R_16F, CUDA_R_32F);
  mixed<__nv_bfloat16, float>(h, CUDA_R_16BF, CUDA_R_32F);
  mixed<__nv_bfloat16, __nv_bfloat16>(h, CUDA_R_16BF, CUDA_R_16BF);
  batches(h);
  vectors<float>(h);
  vectors<double>(h);
  typed_vectors<__half, float>(h, CUDA_R_16F, CUDA_R_32F);
  typed_vectors<__nv_bfloat16, float>(h, CUDA_R_16BF, CUDA_R_32F);
  typed_vectors<float, float>(h, CUDA_R_32F, CUDA_R_32F);
  typed_vectors<double, double>(h, CUDA_R_64F, CUDA_R_64F);
  long_norm(h);
  matrix_and_vector(h);
  triangles(h);
  triangles_in_batches(h);
  factors(h);
  on_the_device(h);
  EXPECT(cublasSaxpy(nullptr, 1, nullptr, nullptr, 1, nullptr, 1) == CUBLAS_STATUS_NOT_INITIALIZED);
  float one = 1;
  EXPECT(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, nullptr, 1, nullptr, 2, &one, nullptr, 2) ==
         CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDestroy(h));
  std::printf("OK\n");
}
