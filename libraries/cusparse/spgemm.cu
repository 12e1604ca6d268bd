// Products of two sparse matrices. A thread for each row collects the row's columns in ascending order, in as many
// places as the row may need; they are copied to the result when the program has memory for them.
#include "rows.h"

struct cusparseSpGEMMDescr {
  drywarp::cusparse::Memory counts, places, collected;
  int64_t* offsets = nullptr;  // of the result's rows
  int64_t* starts = nullptr;   // of the rows' places
  int64_t* columns = nullptr;
  void* values = nullptr;
  int64_t products = 0;
};

namespace drywarp::cusparse {
namespace {

__global__ void count_products(Rows a, Rows b, int64_t* counts) {
  for (int64_t row = first_thread(); row < a.rows; row += all_threads()) {
    int64_t sum = 0;
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row); i < end; ++i) sum += b.end(a.columns[i]) - b.begin(a.columns[i]);
    counts[row + 1] = sum;
  }
}

template <class T>
__global__ void collect(Rows a, const T* a_values, Rows b, const T* b_values, const int64_t* starts, int64_t* columns,
                        T* values, int64_t* counts) {
  for (int64_t row = first_thread(); row < a.rows; row += all_threads()) {
    int64_t* const mine = columns + starts[row];
    T* const sums = values + starts[row];
    int64_t used = 0;
    const int64_t end = a.end(row);
    for (int64_t i = a.begin(row); i < end; ++i) {
      const int64_t inner = a.columns[i], last = b.end(inner);
      for (int64_t j = b.begin(inner); j < last; ++j) {
        const T product = a_values[a.position(i)] * b_values[b.position(j)];
        const int64_t column = b.columns[j];
        int64_t low = 0, high = used;
        while (low < high) {
          const int64_t middle = (low + high) / 2;
          if (mine[middle] < column)
            low = middle + 1;
          else
            high = middle;
        }
        if (low < used && mine[low] == column) {
          sums[low] += product;
          continue;
        }
        for (int64_t k = used; k > low; --k) mine[k] = mine[k - 1], sums[k] = sums[k - 1];
        mine[low] = column, sums[low] = product;
        ++used;
      }
    }
    counts[row + 1] = used;
  }
}

template <class T>
__global__ void copy_rows(int64_t rows, const int64_t* starts, const int64_t* offsets, const int64_t* columns,
                          const T* values, Indices to_offsets, Indices to_columns, T* to_values, Scalar<T> alpha,
                          Scalar<T> beta) {
  const T old = beta.get();
  for (int64_t row = first_thread(); row < rows; row += all_threads()) {
    to_offsets.set(row, offsets[row]);
    if (row == rows - 1) to_offsets.set(rows, offsets[rows]);
    for (int64_t i = 0; i < offsets[row + 1] - offsets[row]; ++i) {
      const int64_t to = offsets[row] + i;
      to_columns.set(to, columns[starts[row] + i]);
      to_values[to] = alpha.get() * values[starts[row] + i] + (old != 0 ? old * to_values[to] : 0);
    }
  }
}

struct Factors {
  Memory memory_a, memory_b;
  Rows a, b;
};
cusparseStatus_t factors_of(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseOperation_t op_a,
                            cusparseConstSpMatDescr_t b, cusparseOperation_t op_b, cusparseConstSpMatDescr_t c,
                            cudaDataType compute, Factors* out) {
  CUSPARSE_NEEDS(a && b && c);
  const bool supported = compute == a->type && compute == b->type && compute == c->type &&
                         c->format == CUSPARSE_FORMAT_CSR && a->batches == 1 && b->batches == 1;
  if (!supported) return CUSPARSE_STATUS_NOT_SUPPORTED;
  CUSPARSE_TRY(rows_of(handle, a, op_a, out->memory_a, &out->a));
  CUSPARSE_TRY(rows_of(handle, b, op_b, out->memory_b, &out->b));
  CUSPARSE_NEEDS(out->a.cols == out->b.rows && c->rows == out->a.rows && c->cols == out->b.cols);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr) { return make(descr); }
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr) {
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t* products) {
  CUSPARSE_NEEDS(descr && products);
  *products = descr->products;
  return CUSPARSE_STATUS_SUCCESS;
}

// Without a buffer, the first two functions tell how large it must be; the descriptor has what they need.
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, const void*, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void*, cusparseSpMatDescr_t c,
                                               cudaDataType compute, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr,
                                               size_t* size, void* buffer) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr && size);
  *size = 256;
  if (!buffer) return CUSPARSE_STATUS_SUCCESS;
  Factors of;
  CUSPARSE_TRY(factors_of(handle, a, op_a, b, op_b, c, compute, &of));
  CUSPARSE_TRY(descr->places.allocate(of.a.rows + 1, &descr->starts));
  CUSPARSE_TRY(launch(handle, count_products, blocks_for(of.a.rows), kThreads, of.a, of.b, descr->starts));
  CUSPARSE_TRY(sum_up(handle, {descr->starts, true, 0}, of.a.rows));
  return read(handle, descr->starts + of.a.rows, &descr->products);
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                        const void*, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void*, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMAlg_t,
                                        cusparseSpGEMMDescr_t descr, size_t* size, void* buffer) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr && size);
  *size = 256;
  if (!buffer) return CUSPARSE_STATUS_SUCCESS;
  CUSPARSE_NEEDS(descr->starts);
  Factors of;
  CUSPARSE_TRY(factors_of(handle, a, op_a, b, op_b, c, compute, &of));
  CUSPARSE_TRY(descr->counts.allocate(of.a.rows + 1, &descr->offsets));
  CUSPARSE_TRY(descr->collected.allocate(2 * descr->products, &descr->columns));  // no value is larger than an index
  descr->values = descr->columns + descr->products;
  CUSPARSE_TRY(with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, collect<T>, blocks_for(of.a.rows), kThreads, of.a, static_cast<const T*>(a->values), of.b,
                  static_cast<const T*>(b->values), descr->starts, descr->columns, static_cast<T*>(descr->values),
                  descr->offsets);
  }));
  CUSPARSE_TRY(sum_up(handle, {descr->offsets, true, 0}, of.a.rows));
  return read(handle, descr->offsets + of.a.rows, &c->nonzeros);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
                                     const void* alpha, cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                     const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                     cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t descr) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(descr && descr->offsets && alpha && beta && c && c->offsets);
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, copy_rows<T>, blocks_for(c->rows), kThreads, c->rows, descr->starts, descr->offsets,
                  descr->columns, static_cast<const T*>(descr->values), indices(c->offsets, c->offsets_type, c->base),
                  indices(c->indices, c->index_type, c->base), static_cast<T*>(c->values), scalar<T>(handle, alpha),
                  scalar<T>(handle, beta));
  });
}

}  // extern "C"
