// Products of a sparse matrix and a vector or a dense matrix, and of dense matrices where a sparse one has elements.
#include "rows.h"

namespace drywarp::cusparse {
namespace {

// A warp for each row.
template <class T>
__global__ void sparse_times_vector(Rows a, const T* values, const T* x, T* y, Scalar<T> alpha, Scalar<T> beta) {
  const int lane = int(threadIdx.x % 32);
  for (int64_t row = first_thread() / 32; row < a.rows; row += all_threads() / 32) {
    T sum = 0;
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row) + lane; i < end; i += 32) sum += values[a.position(i)] * x[a.columns[i]];
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
    const T old = beta.get();  // y may hold NaN where beta is 0
    if (lane == 0) y[row] = alpha.get() * sum + (old != 0 ? old * y[row] : 0);
  }
}

struct Strides {
  int64_t offsets, values;
};

// A thread for each element of the result: neighbours along the result's contiguous dimension.
template <class T>
__global__ void sparse_times_dense(Rows all, const T* values, Strides strides, Dense<T> b, Dense<T> c, int64_t columns,
                                   Scalar<T> alpha, Scalar<T> beta) {
  const int64_t batch = blockIdx.z;
  const Rows a = all.batch(batch, strides.offsets, strides.values);
  values += batch * strides.values;
  const T old = beta.get();
  for (int64_t e = first_thread(); e < a.rows * columns; e += all_threads()) {
    const int64_t row = c.by_row == 1 ? e % a.rows : e / columns;
    const int64_t column = c.by_row == 1 ? e / a.rows : e % columns;
    T sum = 0;
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row); i < end; ++i) sum += values[a.position(i)] * b.at(a.columns[i], column, batch);
    T& to = c.at(row, column, batch);
    to = alpha.get() * sum + (old != 0 ? old * to : 0);
  }
}

// A warp for each row of the sparse result, a lane for each of its elements.
template <class T>
__global__ void dense_times_dense(Dense<T> a, Dense<T> b, int64_t inner, Rows all, T* values, Strides strides,
                                  Scalar<T> alpha, Scalar<T> beta) {
  const int64_t batch = blockIdx.z;
  const Rows c = all.batch(batch, strides.offsets, strides.values);
  values += batch * strides.values;
  const T old = beta.get();
  for (int64_t row = first_thread() / 32; row < c.rows; row += all_threads() / 32) {
    const int64_t end = c.end(row);
    for (int64_t i = c.begin(row) + threadIdx.x % 32; i < end; i += 32) {
      T sum = 0;
      for (int64_t k = 0; k < inner; ++k) sum += a.at(row, k, batch) * b.at(k, c.columns[i], batch);
      T& to = values[c.position(i)];
      to = alpha.get() * sum + (old != 0 ? old * to : 0);
    }
  }
}

bool computed(cudaDataType type, cudaDataType a, cudaDataType b, cudaDataType c) {
  return type == a && type == b && type == c;
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

// No function needs the program's buffer; its size is not 0, because programs may pass what cudaMalloc gives for it.
#define BUFFER_SIZE              \
  CUSPARSE_NEEDS_HANDLE(handle); \
  CUSPARSE_NEEDS(size);          \
  *size = 256;                   \
  return CUSPARSE_STATUS_SUCCESS

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void*,
                                         cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t* size) {
  BUFFER_SIZE;
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void*, cusparseConstSpMatDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cusparseDnVecDescr_t, cudaDataType,
                                         cusparseSpMVAlg_t, void*) {
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && x && y && alpha && beta);
  if (!computed(compute, a->type, x->type, y->type) || a->batches > 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  Memory memory;
  Rows rows;
  CUSPARSE_TRY(rows_of(handle, a, op, memory, &rows));
  CUSPARSE_NEEDS(x->size == rows.cols && y->size == rows.rows);
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, sparse_times_vector<T>, blocks_for(rows.rows, kThreads / 32), kThreads, rows,
                  static_cast<const T*>(a->values), static_cast<const T*>(x->values), static_cast<T*>(y->values),
                  scalar<T>(handle, alpha), scalar<T>(handle, beta));
  });
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t* size) {
  BUFFER_SIZE;
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void*) {
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t,
                              void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && c && alpha && beta && known(op_b));
  if (!computed(compute, a->type, b->type, c->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  Memory memory;
  Rows rows;
  CUSPARSE_TRY(rows_of(handle, a, op_a, memory, &rows));
  CUSPARSE_NEEDS(rows_after(b, op_b) == rows.cols && c->rows == rows.rows && c->cols == columns_after(b, op_b));
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    dim3 grid = blocks_for(rows.rows * c->cols);
    grid.z = unsigned(c->batches);
    return launch(handle, sparse_times_dense<T>, grid, kThreads, rows, static_cast<const T*>(a->values),
                  Strides{a->offsets_stride, a->stride}, dense<T>(b, op_b), dense<T>(c), c->cols,
                  scalar<T>(handle, alpha), scalar<T>(handle, beta));
  });
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                          const void*, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
                                          const void*, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t,
                                          size_t* size) {
  BUFFER_SIZE;
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void*,
                                          cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void*,
                                          cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, void*) {
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t,
                               void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && c && alpha && beta && known(op_a) && known(op_b));
  if (!computed(compute, a->type, b->type, c->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  Memory memory;
  Rows rows;
  CUSPARSE_TRY(rows_of(handle, c, CUSPARSE_OPERATION_NON_TRANSPOSE, memory, &rows));
  const int64_t inner = columns_after(a, op_a);
  CUSPARSE_NEEDS(rows_after(b, op_b) == inner && rows_after(a, op_a) == rows.rows &&
                 columns_after(b, op_b) == rows.cols);
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    dim3 grid = blocks_for(rows.rows, kThreads / 32);
    grid.z = unsigned(c->batches);
    return launch(handle, dense_times_dense<T>, grid, kThreads, dense<T>(a, op_a), dense<T>(b, op_b), inner, rows,
                  static_cast<T*>(c->values), Strides{c->offsets_stride, c->stride}, scalar<T>(handle, alpha),
                  scalar<T>(handle, beta));
  });
}

}  // extern "C"
