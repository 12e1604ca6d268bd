// Sparse vectors: sums, gathering and scattering, rotations, dot products.
#include "rows.h"

namespace drywarp::cusparse {
namespace {

struct Vector {
  int64_t nonzeros;
  Indices indices;
};
Vector vector(cusparseConstSpVecDescr_t x) { return {x->nonzeros, indices(x->indices, x->index_type, x->base)}; }

template <class T>
__global__ void scale(int64_t n, T* y, Scalar<T> beta) {
  const T factor = beta.get();
  for (int64_t i = first_thread(); i < n; i += all_threads()) y[i] = factor != 0 ? factor * y[i] : 0;
}
template <class T>
__global__ void add(Vector x, const T* values, T* y, Scalar<T> alpha) {
  for (int64_t i = first_thread(); i < x.nonzeros; i += all_threads()) y[x.indices[i]] += alpha.get() * values[i];
}
template <class T>
__global__ void gather(Vector x, T* values, const T* y) {
  for (int64_t i = first_thread(); i < x.nonzeros; i += all_threads()) values[i] = y[x.indices[i]];
}
template <class T>
__global__ void scatter(Vector x, const T* values, T* y) {
  for (int64_t i = first_thread(); i < x.nonzeros; i += all_threads()) y[x.indices[i]] = values[i];
}
template <class T>
__global__ void rotate(Vector x, T* values, T* y, Scalar<T> c, Scalar<T> s) {
  for (int64_t i = first_thread(); i < x.nonzeros; i += all_threads()) {
    T& other = y[x.indices[i]];
    const T a = values[i], b = other;
    values[i] = c.get() * a + s.get() * b, other = c.get() * b - s.get() * a;
  }
}
template <class T>
__global__ void dot(Vector x, const T* values, const T* y, T* result) {
  T sum = 0;
  for (int64_t i = threadIdx.x; i < x.nonzeros; i += 32) sum += values[i] * y[x.indices[i]];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
  if (threadIdx.x == 0) *result = sum;
}

}  // namespace
}  // namespace drywarp::cusparse

using namespace drywarp::cusparse;

extern "C" {

#define CHECKED(x, y)                                   \
  CUSPARSE_NEEDS_HANDLE(handle);                        \
  CUSPARSE_NEEDS((x) && (y) && (x)->size == (y)->size); \
  if ((x)->type != (y)->type) return CUSPARSE_STATUS_NOT_SUPPORTED

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                               const void* beta, cusparseDnVecDescr_t y) {
  CHECKED(x, y);
  CUSPARSE_NEEDS(alpha && beta);
  return with_type(x->type, [&](auto typed) {
    using T = decltype(typed);
    CUSPARSE_TRY(launch(handle, scale<T>, blocks_for(y->size), kThreads, y->size, static_cast<T*>(y->values),
                        scalar<T>(handle, beta)));
    return launch(handle, add<T>, blocks_for(x->nonzeros), kThreads, vector(x), static_cast<const T*>(x->values),
                  static_cast<T*>(y->values), scalar<T>(handle, alpha));
  });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
  CHECKED(x, y);
  return with_type(x->type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, gather<T>, blocks_for(x->nonzeros), kThreads, vector(x), static_cast<T*>(x->values),
                  static_cast<const T*>(y->values));
  });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
  CHECKED(x, y);
  return with_type(x->type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, scatter<T>, blocks_for(x->nonzeros), kThreads, vector(x), static_cast<const T*>(x->values),
                  static_cast<T*>(y->values));
  });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c, const void* s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y) {
  CHECKED(x, y);
  CUSPARSE_NEEDS(c && s);
  return with_type(x->type, [&](auto typed) {
    using T = decltype(typed);
    return launch(handle, rotate<T>, blocks_for(x->nonzeros), kThreads, vector(x), static_cast<T*>(x->values),
                  static_cast<T*>(y->values), scalar<T>(handle, c), scalar<T>(handle, s));
  });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseConstSpVecDescr_t,
                                         cusparseConstDnVecDescr_t, const void*, cudaDataType, size_t* size) {
  CUSPARSE_NEEDS_HANDLE(handle);
  CUSPARSE_NEEDS(size);
  *size = sizeof(double);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void* result, cudaDataType compute, void* buffer) {
  CHECKED(x, y);
  const bool on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  CUSPARSE_NEEDS(result && (on_device || buffer));
  if (compute != x->type) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return with_type(compute, [&](auto typed) {
    using T = decltype(typed);
    T* const to = static_cast<T*>(on_device ? result : buffer);
    CUSPARSE_TRY(launch(handle, dot<T>, 1, 32, vector(x), static_cast<const T*>(x->values),
                        static_cast<const T*>(y->values), to));
    if (on_device) return CUSPARSE_STATUS_SUCCESS;
    return read(handle, to, static_cast<T*>(result));
  });
}

}  // extern "C"
