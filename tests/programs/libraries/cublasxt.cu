// cuBLASXt on matrices of the host, and mixed with the device's, against sums on the host.
// RUN: -lcublas
// EXPECT-STDOUT: OK
#include <cublasXt.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "expect.h"

#define CHECK(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

// Small whole numbers, so that sums are exact. Behind each column lie rows that nobody may write.
template <class T>
struct Matrix {
  size_t rows, columns, stride;
  std::vector<T> at;
  Matrix(size_t r, size_t c, unsigned seed) : rows(r), columns(c), stride(r + 3), at(stride * c) {
    for (size_t i = 0; i < at.size(); ++i) at[i] = T(int((i * 2654435761u + seed * 40503u) >> 7 & 7) - 3);
  }
  T& operator()(size_t r, size_t c) { return at[c * stride + r]; }
  T get(size_t r, size_t c, bool transposed) { return transposed ? (*this)(c, r) : (*this)(r, c); }
};

cublasStatus_t xt_gemm(cublasXtHandle_t h, cublasOperation_t ta, cublasOperation_t tb, size_t m, size_t n, size_t k,
                       float alpha, Matrix<float>& a, Matrix<float>& b, float beta, float* c, size_t ldc) {
  return cublasXtSgemm(h, ta, tb, m, n, k, &alpha, a.at.data(), a.stride, b.at.data(), b.stride, &beta, c, ldc);
}
cublasStatus_t xt_gemm(cublasXtHandle_t h, cublasOperation_t ta, cublasOperation_t tb, size_t m, size_t n, size_t k,
                       double alpha, Matrix<double>& a, Matrix<double>& b, double beta, double* c, size_t ldc) {
  return cublasXtDgemm(h, ta, tb, m, n, k, &alpha, a.at.data(), a.stride, b.at.data(), b.stride, &beta, c, ldc);
}

template <class T>
void products(cublasXtHandle_t handle) {
  const size_t m = 33, n = 21, k = 17;
  for (const bool ta : {false, true})
    for (const bool tb : {false, true}) {
      Matrix<T> a(ta ? k : m, ta ? m : k, 1), b(tb ? n : k, tb ? k : n, 2), c(m, n, 3);
      Matrix<T> before = c;
      CHECK(xt_gemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, T(2), a, b, T(-1),
                    c.at.data(), c.stride));
      for (size_t j = 0; j < n; ++j)
        for (size_t i = 0; i < c.stride; ++i) {
          T want = before(i, j);
          if (i < m) {
            T sum = 0;
            for (size_t l = 0; l < k; ++l) sum += a.get(i, l, ta) * b.get(l, j, tb);
            want = 2 * sum - want;
          }
          EXPECT(c(i, j) == want);
        }
    }
}

int main() {
  cublasXtHandle_t handle;
  CHECK(cublasXtCreate(&handle));
  int device = 0, wrong = 99, block = 0;
  CHECK(cublasXtDeviceSelect(handle, 1, &device));
  EXPECT(cublasXtDeviceSelect(handle, 1, &wrong) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasXtSetBlockDim(handle, 64));
  CHECK(cublasXtGetBlockDim(handle, &block));
  EXPECT(block == 64);
  products<float>(handle);
  products<double>(handle);

  // A result on the device.
  const size_t n = 16;
  Matrix<float> a(n, n, 4), b(n, n, 5), c(n, n, 6);
  float *on_device = nullptr, one = 1, zero = 0;
  cudaMalloc(&on_device, n * n * sizeof(float));
  CHECK(xt_gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one, a, b, zero, on_device, n));
  CHECK(xt_gemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, one, a, b, zero, c.at.data(), c.stride));
  std::vector<float> copied(n * n);
  cudaMemcpy(copied.data(), on_device, n * n * sizeof(float), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < n * n; ++i) EXPECT(copied[i] == c(i % n, i / n));
  cudaFree(on_device);

  // The lower triangle of a a^T, and what solves L x = that matrix.
  Matrix<float> square(n, n, 7), l(n, n, 8);
  Matrix<float> before = square;
  CHECK(cublasXtSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, n, n, &one, a.at.data(), a.stride, &zero,
                      square.at.data(), square.stride));
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) {
      float sum = 0;
      for (size_t k = 0; k < n; ++k) sum += a(i, k) * a(j, k);
      EXPECT(square(i, j) == (i >= j ? sum : before(i, j)));
    }
  Matrix<float> x = square;
  CHECK(cublasXtStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, 4, &one,
                      l.at.data(), l.stride, x.at.data(), x.stride));
  for (size_t j = 0; j < 4; ++j)
    for (size_t i = 0; i < n; ++i) {
      double sum = x(i, j), size = std::fabs(x(i, j));
      for (size_t k = 0; k < i; ++k) sum += double(l(i, k)) * x(k, j), size += std::fabs(double(l(i, k)) * x(k, j));
      EXPECT(std::fabs(sum - square(i, j)) <= 1e-6 * size);
    }
  EXPECT(cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &one, a.at.data(), 4, b.at.data(), 8, &zero,
                       c.at.data(), 8) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasXtDestroy(handle));
  std::puts("OK");
}
