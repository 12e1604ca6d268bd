// Solutions of triangular systems. Rows depend on rows before them: a warp goes through all rows for one right-hand
// side.
#include "rows.h"

struct cusparseSpSVDescr {
  void* values = nullptr;  // in place of the matrix's, after updateMatrix
};
struct cusparseSpSMDescr {};

namespace drywarp::cusparse {
namespace {

template <class T>
__global__ void solve(Rows a, const T* values, bool lower, bool unit, Dense<const T> b, Dense<T> x, Scalar<T> alpha) {
  const int64_t column = blockIdx.x;
  for (int64_t step = 0; step < a.rows; ++step) {
    const int64_t row = lower ? step : a.rows - 1 - step;
    T sum = 0, diagonal = 0;
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row) + threadIdx.x; i < end; i += 32) {
      const int64_t k = a.columns[i];
      if (k == row)
        diagonal = values[a.position(i)];
      else if (lower ? k < row : k > row)
        sum += values[a.position(i)] * x.at(k, column);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(~0u, sum, distance);
      diagonal += __shfl_down_sync(~0u, diagonal, distance);  // one lane has it
    }
    if (threadIdx.x == 0) {
      const T right = alpha.get() * b.at(row, column) - sum;
      x.at(row, column) = unit ? right : right / diagonal;
    }
    __syncwarp();
  }
}

cusparseStatus_t solve(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, void* values, cusparseOperation_t op,
                       cusparseConstDnMatDescr_t b, cusparseOperation_t op_b, cusparseDnMatDescr_t x, const void* alpha,
                       cudaDataType compute) {
  CUSPARSE_NEEDS(a->rows == a->cols && x->rows == a->rows && rows_after(b, op_b) == a->rows);
  CUSPARSE_NEEDS(columns_after(b, op_b) == x->cols);
  if (compute != a->type || compute != b->type || compute != x->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  Memory memory;
  Rows rows;
  CUSPARSE_TRY(rows_of(handle, a, op, memory, &rows));
  const bool lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, solve<T>, unsigned(x->cols), 32, rows, static_cast<const T*>(values), lower,
                  a->diagonal == CUSPARSE_DIAG_TYPE_UNIT, dense<const T>(b, op_b), dense<T>(x),
                  scalar<T>(handle, alpha));
  });
}

cusparseStatus_t buffer_size(cusparseHandle_t handle, size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(size);
  *size = 256;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr) { return make(descr); }
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t,
                                         cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t, size_t* size) {
  return buffer_size(handle, size);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                       cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, cusparseDnVecDescr_t,
                                       cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t descr, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr);
  descr->values = nullptr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t descr, void* values,
                                           cusparseSpSVUpdate_t part) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr && values);
  if (part != CUSPARSE_SPSV_UPDATE_GENERAL) return CUSPARSE_STATUS_NOT_SUPPORTED;
  descr->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t, cusparseSpSVDescr_t descr) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && x && y && alpha && descr);
  const cusparseDnMatDescr right = {x->size, 1, x->size, x->values, x->type, CUSPARSE_ORDER_COL};
  cusparseDnMatDescr solution = {y->size, 1, y->size, y->values, y->type, CUSPARSE_ORDER_COL};
  return solve(handle, a, descr->values ? descr->values : a->values, op, &right, CUSPARSE_OPERATION_NON_TRANSPOSE,
               &solution, alpha, compute);
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descr) { return make(descr); }
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*,
                                         cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t,
                                         cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t, size_t* size) {
  return buffer_size(handle, size);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void*,
                                       cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t,
                                       cudaDataType, cusparseSpSMAlg_t, cusparseSpSMDescr_t, void*) {
  CUSPARSE_NEEDS_HANDLE(handle);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                    const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
                                    cusparseSpSMDescr_t descr) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(a && b && c && alpha && descr && known(op_b));
  return solve(handle, a, a->values, op_a, b, op_b, c, alpha, compute);
}

}  // extern "C"
