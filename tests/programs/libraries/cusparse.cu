// cuSPARSE's products, solutions and conversions of matrices with descriptors against sums on the host.
// RUN: -lcusparse
// EXPECT-STDOUT: OK
#include <cmath>

#include "sparse_check.h"

namespace {

template <class T, class I>
void check_products(cusparseHandle_t handle, cusparseFormat_t format, int base) {
  const Matrix m = sparse_numbers(kRows, kCols);
  const OnDevice<T, I> a(format, m, kRows, kCols, base);
  for (const bool transposed : {false, true}) {
    const int rows = transposed ? kCols : kRows, cols = transposed ? kRows : kCols;
    const Matrix op = transposed ? turned(m, kRows, kCols) : m;
    const auto operation = transposed ? kT : kN;
    const T alpha = T(0.5), beta = T(2), zero = T(0);

    const Matrix x = dense_numbers(cols, 1), y = dense_numbers(rows, 1);
    Device<T> dx(narrowed<T>(x)), dy(narrowed<T>(y));
    cusparseDnVecDescr_t vx, vy;
    OK(cusparseCreateDnVec(&vx, cols, dx.at, kType<T>));
    OK(cusparseCreateDnVec(&vy, rows, dy.at, kType<T>));
    Matrix want = product(op, x, rows, cols, 1);
    for (int i = 0; i < rows; ++i) want[i] = 0.5 * want[i] + 2 * y[i];
    OK(cusparseSpMV(handle, operation, &alpha, a.descr, vx, &beta, vy, kType<T>, CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
    expect_equal(dy.read(), want);

    // A result by columns with a stride, of a factor by rows, which holds NaN before.
    constexpr int n = 5;
    const int ld = rows + 3;
    const Matrix b = dense_numbers(cols, n);
    Device<T> db(narrowed<T>(b)), dc(std::vector<T>(size_t(ld) * n, T(NAN)));
    cusparseDnMatDescr_t mb, mc;
    OK(cusparseCreateDnMat(&mb, cols, n, n, db.at, kType<T>, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateDnMat(&mc, rows, n, ld, dc.at, kType<T>, CUSPARSE_ORDER_COL));
    OK(cusparseSpMM(handle, operation, kN, &alpha, a.descr, mb, &zero, mc, kType<T>, CUSPARSE_SPMM_ALG_DEFAULT,
                    nullptr));
    const Matrix c = product(op, b, rows, cols, n);
    const std::vector<T> have = dc.read();
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n; ++j) EXPECT(have[size_t(j) * ld + i] == T(0.5 * c[size_t(i) * n + j]));
    cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy), cusparseDestroyDnMat(mb), cusparseDestroyDnMat(mc);
  }
}

template <class T, class I>
void check_conversions(cusparseHandle_t handle, cusparseFormat_t format, int base) {
  const Matrix m = sparse_numbers(kRows, kCols);
  Device<T> dense(narrowed<T>(m)), back(std::vector<T>(m.size(), T(7)));
  cusparseDnMatDescr_t from, to;
  OK(cusparseCreateDnMat(&from, kRows, kCols, kCols, dense.at, kType<T>, CUSPARSE_ORDER_ROW));
  OK(cusparseCreateDnMat(&to, kRows, kCols, kCols, back.at, kType<T>, CUSPARSE_ORDER_ROW));
  const OnDevice<T, I> want(format, m, kRows, kCols, base);
  OnDevice<T, I> made(format, Matrix(m.size(), 1.0), kRows, kCols, base);  // has room for all
  size_t size = 0;
  OK(cusparseDenseToSparse_bufferSize(handle, from, made.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size));
  const Device<char> buffer{std::vector<char>(size)};
  OK(cusparseDenseToSparse_analysis(handle, from, made.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.at));
  int64_t rows, cols, nonzeros;
  OK(cusparseSpMatGetSize(made.descr, &rows, &cols, &nonzeros));
  EXPECT(rows == kRows && cols == kCols && nonzeros == int64_t(want.host.values.size()));
  OK(cusparseDenseToSparse_convert(handle, from, made.descr, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.at));
  const auto first = [&](auto v) { return v.resize(size_t(nonzeros)), v; };
  EXPECT(first(made.values.read()) == want.host.values && first(made.columns.read()) == want.host.columns);
  if (format == CUSPARSE_FORMAT_COO)
    EXPECT(first(made.row_indices.read()) == want.host.row_indices);
  else
    EXPECT(made.offsets.read() == want.host.offsets);
  OK(cusparseSparseToDense(handle, made.descr, to, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  expect_equal(back.read(), m);
  cusparseDestroyDnMat(from), cusparseDestroyDnMat(to);
}

template <class T>
void check_sparse_products(cusparseHandle_t handle) {
  constexpr int k = kCols, n = 40;
  const Matrix ma = sparse_numbers(kRows, k), mb = sparse_numbers(k, n), want = product(ma, mb, kRows, k, n);
  const OnDevice<T, int> a(CUSPARSE_FORMAT_CSR, ma, kRows, k, 0), b(CUSPARSE_FORMAT_CSR, mb, k, n, 1);
  OnDevice<T, int> c(CUSPARSE_FORMAT_CSR, Matrix(size_t(kRows) * n, 1.0), kRows, n, 0);
  cusparseSpGEMMDescr_t descr;
  OK(cusparseSpGEMM_createDescr(&descr));
  const T alpha = T(2), zero = T(0);
  const Device<char> buffer{std::vector<char>(1024)};
  size_t size = 0;
  const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
  OK(cusparseSpGEMM_workEstimation(handle, kN, kN, &alpha, a.descr, b.descr, &zero, c.descr, kType<T>, algorithm,
                                   descr, &size, nullptr));
  EXPECT(size <= 1024);
  OK(cusparseSpGEMM_workEstimation(handle, kN, kN, &alpha, a.descr, b.descr, &zero, c.descr, kType<T>, algorithm,
                                   descr, &size, buffer.at));
  OK(cusparseSpGEMM_compute(handle, kN, kN, &alpha, a.descr, b.descr, &zero, c.descr, kType<T>, algorithm, descr,
                            &size, nullptr));
  OK(cusparseSpGEMM_compute(handle, kN, kN, &alpha, a.descr, b.descr, &zero, c.descr, kType<T>, algorithm, descr,
                            &size, buffer.at));
  int64_t rows, cols, nonzeros;
  OK(cusparseSpMatGetSize(c.descr, &rows, &cols, &nonzeros));
  OK(cusparseSpGEMM_copy(handle, kN, kN, &alpha, a.descr, b.descr, &zero, c.descr, kType<T>, algorithm, descr));
  const auto offsets = c.offsets.read();
  const auto columns = c.columns.read();
  const auto values = c.values.read();
  EXPECT(offsets[kRows] == nonzeros && nonzeros < kRows * n);
  Matrix have(want.size());
  for (int row = 0; row < kRows; ++row)
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) {
      EXPECT(i == offsets[row] || columns[i - 1] < columns[i]);
      have[size_t(row) * n + columns[i]] = values[i];
    }
  for (size_t i = 0; i < want.size(); ++i) EXPECT(have[i] == 2 * want[i]);
  OK(cusparseSpGEMM_destroyDescr(descr));

  // A product of dense matrices where a sparse one has elements.
  const Matrix x = dense_numbers(kRows, 6), y = dense_numbers(6, k), all = product(x, y, kRows, 6, k);
  Device<T> dx(narrowed<T>(x)), dy(narrowed<T>(y));
  cusparseDnMatDescr_t vx, vy;
  OK(cusparseCreateDnMat(&vx, kRows, 6, 6, dx.at, kType<T>, CUSPARSE_ORDER_ROW));
  OK(cusparseCreateDnMat(&vy, 6, k, k, dy.at, kType<T>, CUSPARSE_ORDER_ROW));
  OK(cusparseSDDMM(handle, kN, kN, &alpha, vx, vy, &zero, a.descr, kType<T>, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
  const auto sampled = a.values.read();
  for (size_t i = 0, row = 0; i < sampled.size(); ++i) {
    while (int(i) >= a.host.offsets[row + 1]) ++row;
    EXPECT(sampled[i] == T(2 * all[row * k + a.host.columns[i]]));
  }
  cusparseDestroyDnMat(vx), cusparseDestroyDnMat(vy);
}

// Triangles with ones and twos on the diagonal have exact solutions.
template <class T>
void check_triangles(cusparseHandle_t handle, cusparseFillMode_t fill, cusparseDiagType_t diagonal, bool transposed) {
  constexpr int n = 40;
  Matrix m(n * n), used(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const bool inside = fill == CUSPARSE_FILL_MODE_LOWER ? j <= i : j >= i;
      if ((i + 2 * j) % 5 == 0) m[i * n + j] = i % 2 ? 1 : -1;  // the other triangle, too, which is not read
      if (i == j) m[i * n + j] = 2;
      if (inside) used[i * n + j] = i == j && diagonal == CUSPARSE_DIAG_TYPE_UNIT ? 1 : m[i * n + j];
    }
  const OnDevice<T, int> a(CUSPARSE_FORMAT_CSR, m, n, n, 0);
  OK(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
  OK(cusparseSpMatSetAttribute(a.descr, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal));
  const Matrix op = transposed ? turned(used, n, n) : used;
  constexpr int columns = 3;
  const Matrix x = dense_numbers(n, columns), b = product(op, x, n, n, columns);
  Device<T> db(narrowed<T>(b)), dx(std::vector<T>(b.size()));
  cusparseDnMatDescr_t mb, mx;
  OK(cusparseCreateDnMat(&mb, n, columns, columns, db.at, kType<T>, CUSPARSE_ORDER_ROW));
  OK(cusparseCreateDnMat(&mx, n, columns, columns, dx.at, kType<T>, CUSPARSE_ORDER_ROW));
  cusparseSpSMDescr_t descr;
  OK(cusparseSpSM_createDescr(&descr));
  const T one = 1;
  const auto operation = transposed ? kT : kN;
  OK(cusparseSpSM_analysis(handle, operation, kN, &one, a.descr, mb, mx, kType<T>, CUSPARSE_SPSM_ALG_DEFAULT, descr,
                           nullptr));
  OK(cusparseSpSM_solve(handle, operation, kN, &one, a.descr, mb, mx, kType<T>, CUSPARSE_SPSM_ALG_DEFAULT, descr));
  expect_equal(dx.read(), x);
  cusparseSpSM_destroyDescr(descr), cusparseDestroyDnMat(mb), cusparseDestroyDnMat(mx);
}

}  // namespace

int main() {
  cusparseHandle_t handle;
  OK(cusparseCreate(&handle));
  for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO}) {
    check_products<float, int>(handle, format, 0);
    check_products<double, int64_t>(handle, format, 1);
    check_conversions<float, int>(handle, format, 1);
    check_conversions<double, int64_t>(handle, format, 0);
  }
  check_sparse_products<float>(handle);
  check_sparse_products<double>(handle);
  for (const auto fill : {CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER})
    for (const auto diagonal : {CUSPARSE_DIAG_TYPE_UNIT, CUSPARSE_DIAG_TYPE_NON_UNIT})
      for (const bool transposed : {false, true}) check_triangles<double>(handle, fill, diagonal, transposed);
  OK(cusparseDestroy(handle));
  std::printf("OK\n");
}
