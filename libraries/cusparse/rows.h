// A sparse matrix as kernels see it: rows of column indices, whatever format it is kept in. What is kept by columns is
// transposed first (rows.cu), so that each sum has one order, and is the same in every run.
#pragma once

#include "handle.h"

namespace drywarp::cusparse {

struct Indices {
  const void* at;
  bool wide;
  int64_t base;
  __device__ int64_t operator[](int64_t i) const {
    return (wide ? static_cast<const int64_t*>(at)[i] : static_cast<const int*>(at)[i]) - base;
  }
  __device__ void set(int64_t i, int64_t value) const {
    if (wide)
      static_cast<int64_t*>(const_cast<void*>(at))[i] = value + base;
    else
      static_cast<int*>(const_cast<void*>(at))[i] = int(value + base);
  }
  __host__ __device__ Indices from(int64_t i) const {
    return {static_cast<const char*>(at) + i * (wide ? 8 : 4), wide, base};
  }
};
inline Indices indices(const void* at, cusparseIndexType_t type, cusparseIndexBase_t base) {
  return {at, type == CUSPARSE_INDEX_64I, base};
}

struct Rows {
  int64_t rows, cols, nonzeros;
  Indices offsets, columns;
  const int64_t* positions;  // of the values, where they are not in the order of the rows; or null
  bool listed;               // `offsets` are the rows of all nonzeros, in ascending order: COO

  __device__ int64_t begin(int64_t row) const { return listed ? lower_bound(row) : offsets[row]; }
  __device__ int64_t end(int64_t row) const { return listed ? lower_bound(row + 1) : offsets[row + 1]; }
  __device__ int64_t position(int64_t i) const { return positions ? positions[i] : i; }
  // The rows of batch `b` of a matrix.
  __device__ Rows batch(int64_t b, int64_t offsets_stride, int64_t stride) const {
    Rows of = *this;
    of.offsets = offsets.from(b * offsets_stride), of.columns = columns.from(b * stride);
    return of;
  }

 private:
  __device__ int64_t lower_bound(int64_t row) const {
    int64_t first = 0, last = nonzeros;
    while (first < last) {
      const int64_t middle = (first + last) / 2;
      if (offsets[middle] < row)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
};

// The rows of op(m). What must be transposed lies in `memory`.
cusparseStatus_t rows_of(cusparseHandle_t handle, cusparseConstSpMatDescr_t m, cusparseOperation_t op, Memory& memory,
                         Rows* out);

// The rows of the transpose: 64-bit offsets and columns, ascending in each row, and the positions in the original.
cusparseStatus_t transpose(cusparseHandle_t handle, const Rows& m, Memory& memory, Rows* out);

// Turns `count` counts, in the places after the first, into offsets: the first place becomes 0.
cusparseStatus_t sum_up(cusparseHandle_t handle, Indices offsets, int64_t count);

// A dense matrix, or its transpose.
template <class T>
struct Dense {
  T* values;
  int64_t by_row, by_column, stride;
  __device__ T& at(int64_t row, int64_t column, int64_t batch = 0) const {
    return values[row * by_row + column * by_column + batch * stride];
  }
};
template <class T>
Dense<T> dense(cusparseConstDnMatDescr_t m, cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE) {
  const bool rows = (m->order == CUSPARSE_ORDER_ROW) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
  return {static_cast<T*>(m->values), rows ? m->ld : 1, rows ? 1 : m->ld, m->stride};
}
inline int64_t rows_after(cusparseConstDnMatDescr_t m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m->rows : m->cols;
}
inline int64_t columns_after(cusparseConstDnMatDescr_t m, cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? m->cols : m->rows;
}
inline bool known(cusparseOperation_t op) {
  return op == CUSPARSE_OPERATION_NON_TRANSPOSE || op == CUSPARSE_OPERATION_TRANSPOSE ||
         op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

}  // namespace drywarp::cusparse
