// cuSPARSE's sparse vectors, its functions of arrays, and incomplete factors.
// RUN: -lcusparse
// EXPECT-STDOUT: OK
#include <cmath>
#include <cstring>

#include "sparse_check.h"

namespace {

// The factors of a tridiagonal matrix have no fill-in, so their product is the matrix; then both triangles solve it.
void check_factors(cusparseHandle_t handle) {
  constexpr int n = 64;
  Matrix m(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = i - 1; j <= i + 1; ++j)
      if (j >= 0 && j < n) m[i * n + j] = i == j ? 4 : -1;
  const OnDevice<double, int> a(CUSPARSE_FORMAT_CSR, m, n, n, 0);
  cusparseMatDescr_t descr;
  csrilu02Info_t info;
  OK(cusparseCreateMatDescr(&descr));
  OK(cusparseCreateCsrilu02Info(&info));
  const int count = int(a.host.values.size());
  const auto policy = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
  OK(cusparseDcsrilu02_analysis(handle, n, count, descr, a.values.at, a.offsets.at, a.columns.at, info, policy,
                                nullptr));
  OK(cusparseDcsrilu02(handle, n, count, descr, a.values.at, a.offsets.at, a.columns.at, info, policy, nullptr));
  int pivot = 0;
  OK(cusparseXcsrilu02_zeroPivot(handle, info, &pivot));
  EXPECT(pivot == -1);
  const auto values = a.values.read();
  Matrix lower(n * n), upper(n * n);
  for (int row = 0; row < n; ++row) {
    lower[row * n + row] = 1;
    for (int i = a.host.offsets[row]; i < a.host.offsets[row + 1]; ++i) {
      const int column = a.host.columns[i];
      (column < row ? lower : upper)[row * n + column] = values[size_t(i)];
    }
  }
  const Matrix have = product(lower, upper, n, n, n);
  for (size_t i = 0; i < m.size(); ++i) EXPECT(std::abs(have[i] - m[i]) < 1e-12);

  const std::vector<double> nothing(a.host.values.size());
  cudaMemcpy(a.values.at, nothing.data(), nothing.size() * sizeof(double), cudaMemcpyDefault);
  OK(cusparseDcsrilu02(handle, n, count, descr, a.values.at, a.offsets.at, a.columns.at, info, policy, nullptr));
  EXPECT(cusparseXcsrilu02_zeroPivot(handle, info, &pivot) == CUSPARSE_STATUS_ZERO_PIVOT && pivot == 0);
  cusparseDestroyCsrilu02Info(info), cusparseDestroyMatDescr(descr);
}

void check_vectors(cusparseHandle_t handle) {
  Device<int> at(std::vector<int>{2, 5, 9});
  Device<float> values(std::vector<float>{1, 2, 3});
  std::vector<float> start(12, 1.5f);
  Device<float> y(start);
  cusparseSpVecDescr_t sparse;
  cusparseDnVecDescr_t full;
  OK(cusparseCreateSpVec(&sparse, 12, 3, at.at, values.at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
  OK(cusparseCreateDnVec(&full, 12, y.at, CUDA_R_32F));
  const float alpha = 2, beta = 4;
  OK(cusparseAxpby(handle, &alpha, sparse, &beta, full));
  for (float& x : start) x *= 4;
  start[1] += 2, start[4] += 4, start[8] += 6;
  EXPECT(y.read() == start);
  float dot = 0;
  Device<double> buffer(std::vector<double>(1));
  OK(cusparseSpVV(handle, kN, sparse, full, &dot, CUDA_R_32F, buffer.at));
  EXPECT(dot == start[1] + 2 * start[4] + 3 * start[8]);
  OK(cusparseScatter(handle, sparse, full));
  start[1] = 1, start[4] = 2, start[8] = 3;
  EXPECT(y.read() == start);
  cudaMemset(values.at, 0, 12);
  OK(cusparseGather(handle, full, sparse));
  EXPECT((values.read() == std::vector<float>{1, 2, 3}));
  cusparseDestroySpVec(sparse), cusparseDestroyDnVec(full);
}

void check_arrays(cusparseHandle_t handle) {
  const Matrix m = sparse_numbers(kRows, kCols);
  const Sparse<float, int> by_rows(m, kRows, kCols, 1), by_columns(turned(m, kRows, kCols), kCols, kRows, 1);
  const int count = int(by_rows.values.size());
  const auto base = CUSPARSE_INDEX_BASE_ONE;
  Device<int> offsets(by_rows.offsets), columns(by_rows.columns), rows(by_rows.row_indices);
  Device<int> to_offsets(std::vector<int>(kCols + 1)), to_rows(std::vector<int>(count, 0));
  Device<float> values(by_rows.values), to_values(std::vector<float>(count, 0));
  OK(cusparseCsr2cscEx2(handle, kRows, kCols, count, values.at, offsets.at, columns.at, to_values.at, to_offsets.at,
                        to_rows.at, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, base, CUSPARSE_CSR2CSC_ALG1, nullptr));
  EXPECT(to_values.read() == by_columns.values && to_offsets.read() == by_columns.offsets);
  EXPECT(to_rows.read() == by_columns.columns);
  OK(cusparseXcsr2coo(handle, offsets.at, count, kRows, to_rows.at, base));
  EXPECT(to_rows.read() == by_rows.row_indices);
  Device<int> again(std::vector<int>(kRows + 1));
  OK(cusparseXcoo2csr(handle, rows.at, count, kRows, again.at, base));
  EXPECT(again.read() == by_rows.offsets);

  std::vector<int> mixed = by_rows.columns;
  for (int row = 0; row < kRows; ++row)  // each row backwards
    for (int i = by_rows.offsets[row] - 1, j = by_rows.offsets[row + 1] - 2; i < j; ++i, --j)
      std::swap(mixed[i], mixed[j]);
  Device<int> unsorted(mixed), places(std::vector<int>(count, 0));
  cusparseMatDescr_t descr;
  OK(cusparseCreateMatDescr(&descr));
  OK(cusparseSetMatIndexBase(descr, base));
  OK(cusparseCreateIdentityPermutation(handle, count, places.at));
  OK(cusparseXcsrsort(handle, kRows, kCols, count, descr, offsets.at, unsorted.at, places.at, nullptr));
  EXPECT(unsorted.read() == by_rows.columns);
  const auto moved = places.read();
  for (int i = 0; i < count; ++i) EXPECT(mixed[moved[i]] == by_rows.columns[i]);

  Device<float> dense(narrowed<float>(turned(m, kRows, kCols)));  // by columns
  Device<int> counts(std::vector<int>(kRows, 0));
  int total = 0;
  OK(cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, kRows, kCols, descr, dense.at, kRows, counts.at, &total));
  EXPECT(total == count);
  const auto each = counts.read();
  for (int row = 0; row < kRows; ++row) EXPECT(each[row] == by_rows.offsets[row + 1] - by_rows.offsets[row]);
  cusparseDestroyMatDescr(descr);
}

}  // namespace

int main() {
  cusparseHandle_t handle;
  OK(cusparseCreate(&handle));
  check_factors(handle);
  check_vectors(handle);
  check_arrays(handle);
  EXPECT(!std::strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT), "CUSPARSE_STATUS_ZERO_PIVOT"));
  EXPECT(cusparseDestroy(nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);
  OK(cusparseDestroy(handle));
  std::printf("OK\n");
}
