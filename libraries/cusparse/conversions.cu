// From dense to sparse and back, from rows to columns, and other changes of format.
#include "rows.h"

namespace drywarp::cusparse {
namespace {

template <class T>
__global__ void fill(Dense<T> b, int64_t rows, int64_t cols) {
  for (int64_t e = first_thread(); e < rows * cols; e += all_threads())
    (b.by_row == 1 ? b.at(e % rows, e / rows) : b.at(e / cols, e % cols)) = 0;
}
template <class T>
__global__ void to_dense(Rows a, const T* values, Dense<T> b) {
  for (int64_t row = first_thread() / 32; row < a.rows; row += all_threads() / 32) {
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row) + threadIdx.x % 32; i < end; i += 32) b.at(row, a.columns[i]) = values[a.position(i)];
  }
}

// How many elements of each row are not 0, in the places after the first.
template <class T>
__global__ void count_nonzeros(Dense<const T> a, int64_t rows, int64_t cols, Indices counts) {
  const Indices plain = {counts.at, counts.wide, 0};
  for (int64_t row = first_thread(); row < rows; row += all_threads()) {
    int64_t count = 0;
    for (int64_t column = 0; column < cols; ++column) count += a.at(row, column) != 0;
    plain.set(row + 1, count);
  }
}
// `offsets` are the program's or, of COO, ours; then the rows are written, too.
template <class T>
__global__ void pick_nonzeros(Dense<const T> a, int64_t rows, int64_t cols, Indices offsets, Indices row_indices,
                              Indices columns, T* values) {
  for (int64_t row = first_thread(); row < rows; row += all_threads()) {
    int64_t to = offsets[row];
    for (int64_t column = 0; column < cols; ++column) {
      if (a.at(row, column) == 0) continue;
      if (row_indices.at) row_indices.set(to, row);
      columns.set(to, column);
      values[to++] = a.at(row, column);
    }
  }
}

__global__ void to_offsets(Rows a, Indices offsets) {
  for (int64_t row = first_thread(); row <= a.rows; row += all_threads()) offsets.set(row, a.begin(row));
}
__global__ void to_rows(Rows a, Indices rows) {
  for (int64_t row = first_thread(); row < a.rows; row += all_threads())
    for (int64_t i = a.begin(row); i < a.end(row); ++i) rows.set(i, row);
}
__global__ void copy_indices(int64_t count, Indices from, Indices to) {
  for (int64_t i = first_thread(); i < count; i += all_threads()) to.set(i, from[i]);
}
template <class T>
__global__ void copy_values(Rows a, const T* from, T* to) {
  for (int64_t i = first_thread(); i < a.nonzeros; i += all_threads()) to[i] = from[a.position(i)];
}

__global__ void count_up(int n, int* p) {
  for (int64_t i = first_thread(); i < n; i += all_threads()) p[i] = int(i);
}
__global__ void sort_by_column(Rows a, int* columns, int* p) {
  for (int64_t row = first_thread(); row < a.rows; row += all_threads()) {
    const int64_t begin = a.begin(row), end = a.end(row);
    for (int64_t i = begin + 1; i < end; ++i) {
      const int column = columns[i], position = p ? p[i] : 0;
      int64_t to = i;
      for (; to > begin && columns[to - 1] > column; --to) {
        columns[to] = columns[to - 1];
        if (p) p[to] = p[to - 1];
      }
      columns[to] = column;
      if (p) p[to] = position;
    }
  }
}
__global__ void total_of(int64_t count, const int* counts, int* total) {
  int sum = 0;
  for (int64_t i = threadIdx.x; i < count; i += 32) sum += counts[i];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x == 0) *total = sum;
}

Indices plain(const int* at, cusparseIndexBase_t base) { return {at, false, base}; }
Rows csr(int64_t rows, int64_t cols, int64_t nonzeros, const int* offsets, const int* columns,
         cusparseIndexBase_t base) {
  return {rows, cols, nonzeros, plain(offsets, base), plain(columns, base), nullptr, false};
}
// As rows of the sparse matrix see the dense one: a CSC's are columns.
cusparseOperation_t seen_by(cusparseConstSpMatDescr_t m) {
  return m->format == CUSPARSE_FORMAT_CSC ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

template <class T>
cusparseStatus_t count_vectors(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n, const T* a,
                               int lda, int* counts, int* total) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(m >= 0 && n >= 0 && lda >= m && a && counts && total);
  const bool rows = direction == CUSPARSE_DIRECTION_ROW;
  const Dense<const T> seen = {a, rows ? 1 : int64_t(lda), rows ? int64_t(lda) : 1, 0};
  const int64_t vectors = rows ? m : n;
  CUSPARSE_TRY(launch(handle, count_nonzeros<T>, blocks_for(vectors), kThreads, seen, vectors, rows ? n : m,
                      Indices{counts - 1, false, 0}));
  Memory memory;
  int* sum = total;
  if (handle->pointers == CUSPARSE_POINTER_MODE_HOST) CUSPARSE_TRY(memory.allocate(1, &sum));
  CUSPARSE_TRY(launch(handle, total_of, 1, 32, vectors, counts, sum));
  if (sum == total) return CUSPARSE_STATUS_SUCCESS;
  return read(handle, sum, total);
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t,
                                                  cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t, size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(size);
  *size = 256;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && a->rows == b->rows && a->cols == b->cols);
  if (a->type != b->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  Memory memory;
  Rows rows;
  CUSPARSE_TRY(rows_of(handle, a, seen_by(a), memory, &rows));  // as it is kept
  return with_type(a->type, [&](auto typed) {
    using T = decltype(typed);
    CUSPARSE_TRY(launch(handle, fill<T>, blocks_for(b->rows * b->cols), kThreads, dense<T>(b), b->rows, b->cols));
    return launch(handle, to_dense<T>, blocks_for(rows.rows, kThreads / 32), kThreads, rows,
                  static_cast<const T*>(a->values), dense<T>(b, seen_by(a)));
  });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t, size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && size);
  *size = size_t((a->rows > a->cols ? a->rows : a->cols) + 1) * sizeof(int64_t);  // the offsets of a COO's rows
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void* buffer) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && a->rows == b->rows && a->cols == b->cols && buffer);
  if (a->type != b->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  const int64_t rows = rows_after(a, seen_by(b)), cols = columns_after(a, seen_by(b));
  const Indices offsets = {buffer, true, 0};
  CUSPARSE_TRY(with_type(a->type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, count_nonzeros<T>, blocks_for(rows), kThreads, dense<const T>(a, seen_by(b)), rows, cols,
                  offsets);
  }));
  CUSPARSE_TRY(sum_up(handle, offsets, rows));
  if (b->format != CUSPARSE_FORMAT_COO)
    CUSPARSE_TRY(launch(handle, copy_indices, blocks_for(rows + 1), kThreads, rows + 1, offsets,
                        indices(b->offsets, b->offsets_type, b->base)));
  const auto* const last = static_cast<const int64_t*>(buffer) + rows;
  return read(handle, last, &b->nonzeros);
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void* buffer) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && buffer);
  const int64_t rows = rows_after(a, seen_by(b)), cols = columns_after(a, seen_by(b));
  const bool listed = b->format == CUSPARSE_FORMAT_COO;
  return with_type(a->type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, pick_nonzeros<T>, blocks_for(rows), kThreads, dense<const T>(a, seen_by(b)), rows, cols,
                  Indices{buffer, true, 0}, indices(listed ? b->offsets : nullptr, b->offsets_type, b->base),
                  indices(b->indices, b->index_type, b->base), static_cast<T*>(b->values));
  });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int, int, const void*, const int*,
                                               const int*, void*, int*, int*, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(size);
  *size = 256;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csr_values,
                                    const int* csr_offsets, const int* csr_columns, void* csc_values, int* csc_offsets,
                                    int* csc_rows, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(m >= 0 && n >= 0 && nnz >= 0);
  Memory memory;
  Rows columns;
  CUSPARSE_TRY(transpose(handle, csr(m, n, nnz, csr_offsets, csr_columns, base), memory, &columns));
  CUSPARSE_TRY(
      launch(handle, copy_indices, blocks_for(n + 1), kThreads, n + 1, columns.offsets, plain(csc_offsets, base)));
  CUSPARSE_TRY(launch(handle, copy_indices, blocks_for(nnz), kThreads, nnz, columns.columns, plain(csc_rows, base)));
  if (action == CUSPARSE_ACTION_SYMBOLIC) return CUSPARSE_STATUS_SUCCESS;
  return with_type(type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, copy_values<T>, blocks_for(nnz), kThreads, columns, static_cast<const T*>(csr_values),
                  static_cast<T*>(csc_values));
  });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nnz, int m, int* offsets,
                                  cusparseIndexBase_t base) {
  CUSPARSE_NEEDS_HANDLE(handle);
  Rows listed = csr(m, 0, nnz, rows, nullptr, base);
  listed.listed = true;
  return launch(handle, to_offsets, blocks_for(m + 1), kThreads, listed, plain(offsets, base));
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rows,
                                  cusparseIndexBase_t base) {
  CUSPARSE_NEEDS_HANDLE(handle);
  return launch(handle, to_rows, blocks_for(m), kThreads, csr(m, 0, nnz, offsets, nullptr, base), plain(rows, base));
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  CUSPARSE_NEEDS_HANDLE(handle);
  return launch(handle, count_up, blocks_for(n), kThreads, n, p);
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int, int, int, const int*, const int*,
                                                size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(size);
  *size = 256;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,
                                  const int* offsets, int* columns, int* p, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr && m >= 0);
  return launch(handle, sort_by_column, blocks_for(m), kThreads, csr(m, n, nnz, offsets, columns, descr->base), columns,
                p);
}

cusparseStatus_t cusparseSnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t, const float* a, int lda, int* counts, int* total) {
  return count_vectors(handle, direction, m, n, a, lda, counts, total);
}
cusparseStatus_t cusparseDnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t, const double* a, int lda, int* counts, int* total) {
  return count_vectors(handle, direction, m, n, a, lda, counts, total);
}

}  // extern "C"
