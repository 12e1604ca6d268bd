// The first of the singular values and their vectors. cuSOLVER approximates them; these are all found by Jacobi's
// rotations, and those that are wanted are kept.
#include "../dense/singular_values.h"

#include "iteration.h"

namespace drywarp::cusolver {
namespace {

using dense::Real;
using dense::View;

// Matrices that lie `stride` numbers apart.
template <class T>
struct Batch {
  T* data;
  int64_t ld, stride;
  [[nodiscard]] __device__ View<T> at(int64_t batch) const { return dense::columns(data + batch * stride, ld); }
};
// What is wanted of A = U diag(values) V^H: `rank` columns of U and of V, if these have data.
template <class T>
struct Leading {
  int64_t m, n, rank;
  Batch<const T> a;
  Batch<Real<T>> values;  // a column each
  Batch<T> u, v;
};
int64_t shorter(int64_t m, int64_t n) { return m < n ? m : n; }
// Of one matrix, in numbers of type T: a copy of it, its values, both sets of vectors, and what Jacobi's rotations
// need.
template <class T>
int64_t leading_work(int64_t m, int64_t n) {
  const int64_t least = shorter(m, n), most = m < n ? n : m;
  return m * n + least + most * least + least * least + dense::singular_work<T>(least);
}
template <class T>
constexpr int64_t kResidual = (sizeof(double) + sizeof(T) - 1) / sizeof(T);  // numbers of type T that hold a double

// |A - U diag(values) V^H| by Frobenius's norm.
template <class T>
__device__ double residual_of(const Leading<T>& wanted, View<const T> a, const Real<T>* values, View<T> u, View<T> v) {
  Real<T> sum = 0;
  for (int64_t id = threadIdx.x; id < wanted.m * wanted.n; id += blockDim.x) {
    const int64_t i = id % wanted.m, j = id / wanted.m;
    T rest = a.get(i, j);
    for (int64_t k = 0; k < wanted.rank; ++k) rest -= u.get(i, k) * T(values[k]) * dense::conjugate(v.get(j, k));
    sum += dense::square(rest);
  }
  return sqrt(double(dense::sum_of_block(sum)));
}

// A block a matrix. `residuals`: or null.
template <class T>
__global__ __launch_bounds__(kThreads) void find_leading(Leading<T> wanted, T* work, int64_t work_each, int* info,
                                                         double* residuals) {
  const int64_t batch = blockIdx.x, m = wanted.m, n = wanted.n;
  const bool tall = m >= n;
  const int64_t least = tall ? n : m, most = tall ? m : n;
  const View<const T> a = wanted.a.at(batch);
  T* const copied = work + batch * work_each;
  Real<T>* const values = reinterpret_cast<Real<T>*>(copied + m * n);
  T* const of_left = copied + m * n + least;
  T* const of_right = of_left + most * least;
  for (int64_t id = threadIdx.x; id < m * n; id += blockDim.x) copied[id] = a.get(id % m, id / m);
  __syncthreads();
  // A matrix that has more columns than rows is decomposed as its adjoint, whose left vectors are V.
  const View<T> whole = dense::columns(copied, m), left = dense::columns(of_left, most);
  const View<T> right = dense::columns(of_right, least);
  dense::find_singular_values(
      dense::SingularTask<T>{tall ? whole : whole.adjoint(), most, least, values, left, right, least},
      of_right + least * least, kDefaultLimits, info + batch, nullptr);
  __syncthreads();
  const View<T> u = tall ? left : right, v = tall ? right : left;
  for (int64_t k = threadIdx.x; k < wanted.rank; k += blockDim.x) wanted.values.at(batch).set(k, 0, values[k]);
  for (int64_t id = threadIdx.x; wanted.u.data && id < m * wanted.rank; id += blockDim.x)
    wanted.u.at(batch).set(id % m, id / m, u.get(id % m, id / m));
  for (int64_t id = threadIdx.x; wanted.v.data && id < n * wanted.rank; id += blockDim.x)
    wanted.v.at(batch).set(id % n, id / n, v.get(id % n, id / n));
  if (!residuals) return;
  const double residual = residual_of(wanted, a, values, u, v);
  if (threadIdx.x == 0) residuals[batch] = residual;
}

bool possible(bool vectors, int64_t rank, int64_t m, int64_t n, int64_t lda, int64_t ldu, int64_t ldv) {
  return m >= 0 && n >= 0 && rank >= 0 && rank <= shorter(m, n) && covers(lda, m) &&
         (!vectors || (covers(ldu, m) && covers(ldv, n)));
}
template <class T>
int64_t batch_work(int64_t m, int64_t n, int64_t batch) {
  return batch * (leading_work<T>(m, n) + kResidual<T>);
}
// The residuals lie before the rest of the work area, and are copied to the host, which waits for them.
template <class T>
cusolverStatus_t find(cusolverDnHandle_t h, const Leading<T>& wanted, T* work, int64_t size, int* info,
                      double* residuals, int64_t batch = 1) {
  CUSOLVER_NEEDS(info && batch >= 0);
  if (batch == 0) return CUSOLVER_STATUS_SUCCESS;
  if (wanted.m == 0 || wanted.n == 0) return clear(h, info, batch);
  CUSOLVER_NEEDS(wanted.a.data && wanted.values.data && work && size >= batch_work<T>(wanted.m, wanted.n, batch));
  double* const on_device = reinterpret_cast<double*>(work);
  CUSOLVER_TRY(launch(h, find_leading<T>, unsigned(batch), wanted, work + batch * kResidual<T>,
                      leading_work<T>(wanted.m, wanted.n), info, residuals ? on_device : nullptr));
  if (!residuals) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_TRY(status_of(
      cudaMemcpyAsync(residuals, on_device, sizeof(double) * size_t(batch), cudaMemcpyDeviceToHost, h->stream)));
  return status_of(cudaStreamSynchronize(h->stream));
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::numbers;
using drywarp::dense::Real;

#define GESVDA(P, T, R)                                                                                                \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched_bufferSize(                                                     \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int rank, int m, int n, const T*, int lda, long long, const R*,    \
      long long, const T*, int ldu, long long, const T*, int ldv, long long, int* size, int batch) {                   \
    const bool fits =                                                                                                  \
        known(mode) && batch >= 0 && possible(mode == CUSOLVER_EIG_MODE_VECTOR, rank, m, n, lda, ldu, ldv);            \
    return give_size(                                                                                                  \
        h, fits,                                                                                                       \
        fits ? batch_work<std::remove_pointer_t<decltype(numbers(static_cast<T*>(nullptr)))>>(m, n, batch) : 0, size); \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched(                                                                \
      cusolverDnHandle_t h, cusolverEigMode_t mode, int rank, int m, int n, const T* a, int lda, long long stride_a,   \
      R* values, long long stride_s, T* u, int ldu, long long stride_u, T* v, int ldv, long long stride_v, T* work,    \
      int size, int* info, double* residuals, int batch) {                                                             \
    const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;                                                             \
    CUSOLVER_NEEDS_HANDLE(h);                                                                                          \
    CUSOLVER_NEEDS(known(mode) && possible(vectors, rank, m, n, lda, ldu, ldv) &&                                      \
                   (!vectors || rank == 0 || (u && v)));                                                               \
    using Value = std::remove_pointer_t<decltype(numbers(u))>;                                                         \
    return find(h,                                                                                                     \
                Leading<Value>{m,                                                                                      \
                               n,                                                                                      \
                               rank,                                                                                   \
                               {numbers(a), lda, stride_a},                                                            \
                               {values, rank, stride_s},                                                               \
                               {vectors ? numbers(u) : nullptr, ldu, stride_u},                                        \
                               {vectors ? numbers(v) : nullptr, ldv, stride_v}},                                       \
                numbers(work), size, info, residuals, batch);                                                          \
  }

extern "C" {
GESVDA(S, float, float)
GESVDA(D, double, double)
GESVDA(C, cuComplex, float)
GESVDA(Z, cuDoubleComplex, double)

// `more` columns and `rounds` are what an approximation would take.
cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, signed char jobu,
                                              signed char jobv, int64_t m, int64_t n, int64_t rank, int64_t more,
                                              int64_t, cudaDataType type, const void*, int64_t lda, cudaDataType,
                                              const void*, cudaDataType, const void*, int64_t ldu, cudaDataType,
                                              const void*, int64_t ldv, cudaDataType, size_t* device, size_t* host) {
  const bool fits = (jobu == 'S' || jobu == 'N') && (jobv == 'S' || jobv == 'N') && more >= 0 &&
                    possible(false, rank + more, m, n, lda, ldu, ldv);
  CUSOLVER_TRY(give_size(h, fits, 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, batch_work<decltype(number)>(m, n, 1) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t h, cusolverDnParams_t, signed char jobu, signed char jobv,
                                   int64_t m, int64_t n, int64_t rank, int64_t more, int64_t, cudaDataType type,
                                   void* a, int64_t lda, cudaDataType, void* values, cudaDataType, void* u, int64_t ldu,
                                   cudaDataType, void* v, int64_t ldv, cudaDataType, void* work, size_t bytes, void*,
                                   size_t, int* info) {
  const bool with_u = jobu == 'S', with_v = jobv == 'S';
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS((with_u || jobu == 'N') && (with_v || jobv == 'N') && more >= 0 &&
                 possible(false, rank + more, m, n, lda, ldu, ldv) && (!with_u || (u && covers(ldu, m))) &&
                 (!with_v || (v && covers(ldv, n))));
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return find(h,
                Leading<T>{m,
                           n,
                           rank,
                           {static_cast<const T*>(a), lda, 0},
                           {static_cast<Real<T>*>(values), rank, 0},
                           {with_u ? static_cast<T*>(u) : nullptr, ldu, 0},
                           {with_v ? static_cast<T*>(v) : nullptr, ldv, 0}},
                static_cast<T*>(work), int64_t(bytes / sizeof(T)), info, nullptr);
  });
}
}
