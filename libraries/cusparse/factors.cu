// Incomplete LU factors without fill-in. Rows depend on rows before them: a warp goes through all.
#include "rows.h"

struct csrilu02Info {
  drywarp::cusparse::Memory memory;
  int* pivot = nullptr;  // the first row whose pivot is missing or 0, or -1
};

namespace drywarp::cusparse {
namespace {

// The place of column `column` in [begin, end), or -1.
__device__ int64_t find(const Rows& a, int64_t begin, int64_t end, int64_t column) {
  while (begin < end) {
    const int64_t middle = (begin + end) / 2, there = a.columns[middle];
    if (there == column) return middle;
    if (there < column)
      begin = middle + 1;
    else
      end = middle;
  }
  return -1;
}

__global__ void find_diagonals(Rows a, int* pivot) {
  *pivot = -1;
  for (int64_t row = 0; row < a.rows && *pivot < 0; ++row)
    if (find(a, a.begin(row), a.end(row), row) < 0) *pivot = int(row + a.columns.base);
}

template <class T>
__global__ void factorize(Rows a, T* values, int* pivot) {
  for (int64_t row = 0; row < a.rows; ++row) {
    const int64_t begin = a.begin(row), end = a.end(row);
    for (int64_t i = begin; i < end && a.columns[i] < row; ++i) {
      const int64_t k = a.columns[i], k_end = a.end(k), diagonal = find(a, a.begin(k), k_end, k);
      if (diagonal < 0) continue;
      const T factor = values[i] / values[diagonal];
      __syncwarp();
      if (threadIdx.x == 0) values[i] = factor;
      for (int64_t j = diagonal + 1 + threadIdx.x; j < k_end; j += 32) {
        const int64_t to = find(a, i + 1, end, a.columns[j]);
        if (to >= 0) values[to] -= factor * values[j];
      }
      __syncwarp();
    }
    const int64_t diagonal = find(a, begin, end, row);
    if (threadIdx.x == 0 && *pivot < 0 && (diagonal < 0 || values[diagonal] == 0)) *pivot = int(row + a.columns.base);
  }
}

Rows csr(int m, int nnz, cusparseMatDescr_t descr, const int* offsets, const int* columns) {
  return {m, m, nnz, {offsets, false, descr->base}, {columns, false, descr->base}, nullptr, false};
}

template <class T>
cusparseStatus_t factorize(cusparseHandle_t handle, int m, int nnz, cusparseMatDescr_t descr, T* values,
                           const int* offsets, const int* columns, csrilu02Info_t info) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(m >= 0 && descr && info && info->pivot);
  return launch(handle, factorize<T>, 1, 32, csr(m, nnz, descr, offsets, columns), values, info->pivot);
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) { return make(info); }
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) {
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int* position) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(info && info->pivot && position);
  int pivot = -1;
  CUSPARSE_TRY(read(handle, info->pivot, &pivot));
  const bool on_host = handle->pointers == CUSPARSE_POINTER_MODE_HOST;
  if (on_host)
    *position = pivot;
  else
    CUSPARSE_TRY(status_of(cudaMemcpy(position, &pivot, sizeof pivot, cudaMemcpyDefault)));
  return pivot < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define FACTORS(Letter, T)                                                                                             \
  cusparseStatus_t cusparse##Letter##csrilu02_bufferSize(cusparseHandle_t handle, int, int, const cusparseMatDescr_t,  \
                                                         T*, const int*, const int*, csrilu02Info_t, int* size) {      \
    CUSPARSE_NEEDS_HANDLE(handle);                                                                                     \
    CUSPARSE_NEEDS(size);                                                                                              \
    *size = 256;                                                                                                       \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Letter##csrilu02_analysis(                                                                \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, const T*, const int* offsets,           \
      const int* columns, csrilu02Info_t info, cusparseSolvePolicy_t, void*) {                                         \
    CUSPARSE_NEEDS_HANDLE(handle);                                                                                     \
    CUSPARSE_NEEDS(m >= 0 && descr && info);                                                                           \
    CUSPARSE_TRY(info->memory.allocate(1, &info->pivot));                                                              \
    return launch(handle, find_diagonals, 1, 1, csr(m, nnz, descr, offsets, columns), info->pivot);                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Letter##csrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, \
                                              T* values, const int* offsets, const int* columns, csrilu02Info_t info,  \
                                              cusparseSolvePolicy_t, void*) {                                          \
    return factorize(handle, m, nnz, descr, values, offsets, columns, info);                                           \
  }
FACTORS(S, float)
FACTORS(D, double)

}  // extern "C"
