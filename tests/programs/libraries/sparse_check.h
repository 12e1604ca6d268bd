// Of the tests of cuSPARSE: matrices on the host and on the device.
#pragma once

#include <cusparse.h>

#include <vector>

#include "expect.h"

#define OK(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)

constexpr int kRows = 70, kCols = 50;
const auto kN = CUSPARSE_OPERATION_NON_TRANSPOSE;
const auto kT = CUSPARSE_OPERATION_TRANSPOSE;

inline unsigned state = 1;
inline double number() {  // of eighths in [-2, 2): sums of products are exact
  state = state * 1664525u + 1013904223u;
  return int(state >> 27) / 8.0 - 2.0;
}

template <class T>
struct Device {
  T* at = nullptr;
  size_t count;
  explicit Device(const std::vector<T>& from) : count(from.size()) {
    cudaMalloc(&at, (count + 1) * sizeof(T));
    cudaMemcpy(at, from.data(), count * sizeof(T), cudaMemcpyDefault);
  }
  ~Device() { cudaFree(at); }
  std::vector<T> read() const {
    std::vector<T> to(count);
    cudaMemcpy(to.data(), at, count * sizeof(T), cudaMemcpyDefault);
    return to;
  }
};

// A dense matrix by rows, and the same as CSR, CSC or COO with a base and a width of indices.
using Matrix = std::vector<double>;
inline Matrix sparse_numbers(int rows, int cols) {
  Matrix m(size_t(rows) * cols);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      if ((i * 7 + j * 5) % 6 == 0 && i % 9 != 4) m[size_t(i) * cols + j] = number() + 0.0625;
  return m;
}
inline Matrix dense_numbers(int rows, int cols) {
  Matrix m(size_t(rows) * cols);
  for (double& x : m) x = number();
  return m;
}
inline Matrix turned(const Matrix& m, int rows, int cols) {
  Matrix t(m.size());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) t[size_t(j) * rows + i] = m[size_t(i) * cols + j];
  return t;
}
inline Matrix product(const Matrix& a, const Matrix& b, int m, int k, int n) {
  Matrix c(size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j) c[size_t(i) * n + j] += a[size_t(i) * k + l] * b[size_t(l) * n + j];
  return c;
}

template <class T, class I>
struct Sparse {
  std::vector<I> offsets, row_indices, columns;
  std::vector<T> values;
  Sparse(const Matrix& m, int rows, int cols, int base) {
    for (int i = 0; i < rows; ++i) {
      offsets.push_back(I(values.size() + base));
      for (int j = 0; j < cols; ++j)
        if (m[size_t(i) * cols + j] != 0) {
          row_indices.push_back(I(i + base)), columns.push_back(I(j + base));
          values.push_back(T(m[size_t(i) * cols + j]));
        }
    }
    offsets.push_back(I(values.size() + base));
  }
};
template <class T>
constexpr cudaDataType kType = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;

template <class T, class I>
struct OnDevice {
  Sparse<T, I> host;
  Device<I> offsets, row_indices, columns;
  Device<T> values;
  cusparseSpMatDescr_t descr = nullptr;
  OnDevice(cusparseFormat_t format, const Matrix& m, int rows, int cols, int base)
      : host(format == CUSPARSE_FORMAT_CSC ? Sparse<T, I>(turned(m, rows, cols), cols, rows, base)
                                           : Sparse<T, I>(m, rows, cols, base)),
        offsets(host.offsets),
        row_indices(host.row_indices),
        columns(host.columns),
        values(host.values) {
    const auto index = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    const auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    const auto count = int64_t(host.values.size());
    if (format == CUSPARSE_FORMAT_CSR)
      OK(cusparseCreateCsr(&descr, rows, cols, count, offsets.at, columns.at, values.at, index, index, from, kType<T>));
    else if (format == CUSPARSE_FORMAT_CSC)
      OK(cusparseCreateCsc(&descr, rows, cols, count, offsets.at, columns.at, values.at, index, index, from, kType<T>));
    else
      OK(cusparseCreateCoo(&descr, rows, cols, count, row_indices.at, columns.at, values.at, index, from, kType<T>));
  }
  ~OnDevice() { cusparseDestroySpMat(descr); }
};

template <class T>
std::vector<T> narrowed(const Matrix& m) {
  return std::vector<T>(m.begin(), m.end());
}
template <class T>
void expect_equal(const std::vector<T>& have, const Matrix& want) {
  EXPECT(have.size() == want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT(have[i] == T(want[i]));
}
