// Rows of matrices in any format, and transposition.
#include "rows.h"

namespace drywarp::cusparse {
namespace {

constexpr int kSumThreads = 1024;

__global__ void count_columns(Rows m, Indices counts) {
  for (int64_t i = first_thread(); i < m.nonzeros; i += all_threads()) {
    auto* const all = static_cast<unsigned long long*>(const_cast<void*>(counts.at));
    atomicAdd(all + 1 + m.columns[i], 1ull);
  }
}

// One block: each thread sums a part, then adds what the parts before it sum up to.
__global__ void sum_offsets(Indices offsets, int64_t count) {
  __shared__ int64_t sums[kSumThreads];
  const int64_t each = (count + kSumThreads - 1) / kSumThreads;
  const int64_t first = min(count, threadIdx.x * each), last = min(count, first + each);
  const Indices counts = {offsets.at, offsets.wide, 0};
  int64_t sum = 0;
  for (int64_t i = first; i < last; ++i) sum += counts[i + 1];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = 1; distance < kSumThreads; distance *= 2) {
    const int64_t before = int(threadIdx.x) >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  sum = sums[threadIdx.x] - sum;
  for (int64_t i = first; i < last; ++i) {
    sum += counts[i + 1];
    offsets.set(i + 1, sum);
  }
  if (threadIdx.x == 0) offsets.set(0, 0);
}

// Where the nonzeros of a column go first is by chance; sort_rows puts them in order.
__global__ void place(Rows m, const int64_t* offsets, unsigned long long* used, int64_t* columns, int64_t* positions) {
  for (int64_t row = first_thread(); row < m.rows; row += all_threads()) {
    const int64_t end = m.end(row);
    for (int64_t i = m.begin(row); i < end; ++i) {
      const int64_t to = offsets[m.columns[i]] + int64_t(atomicAdd(used + m.columns[i], 1ull));
      columns[to] = row, positions[to] = i;
    }
  }
}
__global__ void sort_rows(int64_t rows, const int64_t* offsets, int64_t* columns, int64_t* positions) {
  for (int64_t row = first_thread(); row < rows; row += all_threads())
    for (int64_t i = offsets[row] + 1; i < offsets[row + 1]; ++i) {
      const int64_t column = columns[i], position = positions[i];
      int64_t to = i;
      for (; to > offsets[row] && positions[to - 1] > position; --to)
        columns[to] = columns[to - 1], positions[to] = positions[to - 1];
      columns[to] = column, positions[to] = position;
    }
}

}  // namespace

cusparseStatus_t sum_up(cusparseHandle_t handle, Indices offsets, int64_t count) {
  return launch(handle, sum_offsets, 1, kSumThreads, offsets, count);
}

cusparseStatus_t transpose(cusparseHandle_t handle, const Rows& m, Memory& memory, Rows* out) {
  int64_t* offsets;
  CUSPARSE_TRY(memory.allocate(2 * m.cols + 1 + 2 * m.nonzeros, &offsets));
  int64_t* const used = offsets + m.cols + 1;
  int64_t* const columns = used + m.cols;
  int64_t* const positions = columns + m.nonzeros;
  CUSPARSE_TRY(status_of(cudaMemsetAsync(offsets, 0, size_t(2 * m.cols + 1) * sizeof(int64_t), handle->stream)));
  const Indices sums = {offsets, true, 0};
  CUSPARSE_TRY(launch(handle, count_columns, blocks_for(m.nonzeros), kThreads, m, sums));
  CUSPARSE_TRY(sum_up(handle, sums, m.cols));
  CUSPARSE_TRY(launch(handle, place, blocks_for(m.rows), kThreads, m, offsets,
                      reinterpret_cast<unsigned long long*>(used), columns, positions));
  CUSPARSE_TRY(launch(handle, sort_rows, blocks_for(m.cols), kThreads, m.cols, offsets, columns, positions));
  *out = {m.cols, m.rows, m.nonzeros, sums, {columns, true, 0}, positions, false};
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t rows_of(cusparseHandle_t handle, cusparseConstSpMatDescr_t m, cusparseOperation_t op, Memory& memory,
                         Rows* out) {
  CUSPARSE_NEEDS(m && known(op));
  const bool by_columns = m->format == CUSPARSE_FORMAT_CSC;
  const Rows kept = {by_columns ? m->cols : m->rows,
                     by_columns ? m->rows : m->cols,
                     m->nonzeros,
                     indices(m->offsets, m->offsets_type, m->base),
                     indices(m->indices, m->index_type, m->base),
                     nullptr,
                     m->format == CUSPARSE_FORMAT_COO};
  if (by_columns == (op != CUSPARSE_OPERATION_NON_TRANSPOSE)) {
    *out = kept;
    return CUSPARSE_STATUS_SUCCESS;
  }
  if (m->batches > 1) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return transpose(handle, kept, memory, out);
}

}  // namespace drywarp::cusparse
