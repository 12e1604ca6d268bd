// Singular values and singular vectors.
#include "../dense/singular_values.h"

#include "iteration.h"

struct gesvdjInfo : drywarp::cusolver::Iteration {};

namespace drywarp::cusolver {
namespace {

using dense::Real;
using dense::View;

// Distances from one matrix of a batch to the next.
struct Strides {
  int64_t a, values, left, right, work;
};

// A block a matrix.
template <class T>
__global__ __launch_bounds__(kThreads) void find_singular_values(dense::SingularTask<T> task, Strides strides, T* work,
                                                                 int* info, dense::Limits limits,
                                                                 dense::Outcome* outcome) {
  const int64_t batch = blockIdx.x;
  task.a.data += batch * strides.a, task.values += batch * strides.values;
  if (task.left.data) task.left.data += batch * strides.left;
  if (task.right.data) task.right.data += batch * strides.right;
  dense::find_singular_values(task, work + batch * strides.work, limits, info + batch, batch == 0 ? outcome : nullptr);
}

template <class T>
__global__ __launch_bounds__(kThreads) void copy(const T* from, int64_t rows, int64_t columns, T* to, int64_t ld) {
  for (int64_t j = blockIdx.x; j < columns; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < rows; i += kThreads) to[j * ld + i] = from[j * rows + i];
}

// One of the letters by which LAPACK says what becomes of the vectors.
bool known_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

// gesvd is for matrices that have no more columns than rows, as cuSOLVER's.
bool possible_svd(int64_t m, int64_t n) { return n >= 0 && m >= n; }
// The vectors that replace A are kept behind the rest until A is no longer used.
template <class T>
int64_t svd_work(int64_t m, int64_t n) {
  return dense::singular_work<T>(n) + m * n;
}

template <class T>
cusolverStatus_t gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int64_t m, int64_t n, T* a,
                       int64_t lda, Real<T>* values, T* u, int64_t ldu, T* vt, int64_t ldvt, T* work, int64_t size,
                       int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(known_job(jobu) && known_job(jobvt) && !(jobu == 'O' && jobvt == 'O') && possible_svd(m, n) &&
                 covers(lda, m) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  const bool to_u = jobu == 'A' || jobu == 'S', to_vt = jobvt == 'A' || jobvt == 'S';
  CUSOLVER_NEEDS(a && values && work && size >= svd_work<T>(m, n) && (!to_u || (u && ldu >= m)) &&
                 (!to_vt || (vt && ldvt >= n)));
  T* const kept = work + dense::singular_work<T>(n);
  dense::SingularTask<T> task{dense::columns(a, lda), m, n, values, {}, {}, jobu == 'A' ? m : n};
  if (to_u) task.left = dense::columns(u, ldu);
  if (jobu == 'O') task.left = dense::columns(kept, m);
  if (to_vt) task.right = dense::columns(vt, ldvt).adjoint();
  if (jobvt == 'O') task.right = dense::columns(kept, n).adjoint();
  CUSOLVER_TRY(launch(h, find_singular_values<T>, 1, task, Strides{}, work, info, kDefaultLimits, nullptr));
  if (jobu != 'O' && jobvt != 'O') return CUSOLVER_STATUS_SUCCESS;
  return launch(h, copy<T>, blocks_for(n), kept, jobu == 'O' ? m : n, n, a, lda);
}

bool possible(cusolverEigMode_t mode, int64_t m, int64_t n, int64_t lda, int64_t ldu, int64_t ldv, int64_t batch = 1) {
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR;
  return known(mode) && m >= 0 && n >= 0 && covers(lda, m) && batch >= 0 &&
         (!vectors || (covers(ldu, m) && covers(ldv, n)));
}
int64_t shorter(int64_t m, int64_t n) { return m < n ? m : n; }

// A matrix that has more columns than rows is decomposed as its adjoint, whose left vectors are V.
template <class T>
cusolverStatus_t gesvdj(cusolverDnHandle_t h, cusolverEigMode_t mode, bool economic, int64_t m, int64_t n, T* a,
                        int64_t lda, Real<T>* values, T* u, int64_t ldu, T* v, int64_t ldv, T* work, int64_t size,
                        int* info, const Iteration* iteration, int64_t batch = 1) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(mode, m, n, lda, ldu, ldv, batch) && iteration && info);
  const int64_t least = shorter(m, n), most = m < n ? n : m, needed = dense::singular_work<T>(least);
  if (least == 0 || batch == 0) return batch ? clear(h, info, batch) : CUSOLVER_STATUS_SUCCESS;
  const bool vectors = mode == CUSOLVER_EIG_MODE_VECTOR, tall = m >= n;
  CUSOLVER_NEEDS(a && values && work && size >= batch * needed && (!vectors || (u && v)));
  const View<T> whole = dense::columns(a, lda), of_u = dense::columns(u, ldu), of_v = dense::columns(v, ldv);
  dense::SingularTask<T> task{tall ? whole : whole.adjoint(), most, least, values, {}, {}, economic ? least : most};
  if (vectors) task.left = tall ? of_u : of_v, task.right = tall ? of_v : of_u;
  const int64_t stride_u = ldu * m, stride_v = ldv * n;
  const Strides strides{lda * n, least, tall ? stride_u : stride_v, tall ? stride_v : stride_u, needed};
  return launch(h, find_singular_values<T>, unsigned(batch), task, strides, work, info, iteration->limits,
                iteration->outcome);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::numbers;
using drywarp::dense::Real;
using drywarp::dense::singular_work;

#define SINGULAR_VALUES(P, T, R)                                                                                     \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t h, int m, int n, int* size) {                  \
    return give_size(h, possible_svd(m, n), svd_work<T>(m, n), size);                                                \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m, int n,     \
                                        T* a, int lda, R* values, T* u, int ldu, T* vt, int ldvt, T* work, int size, \
                                        R*, int* info) {                                                             \
    return gesvd(h, jobu, jobvt, m, n, numbers(a), lda, values, numbers(u), ldu, numbers(vt), ldvt, numbers(work),   \
                 size, info);                                                                                        \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode, int, int m, int n, \
                                                    const T*, int lda, const R*, const T*, int ldu, const T*,        \
                                                    int ldv, int* size, gesvdjInfo_t) {                              \
    return give_size(h, possible(mode, m, n, lda, ldu, ldv), singular_work<T>(shorter(m, n)), size);                 \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##gesvdj(cusolverDnHandle_t h, cusolverEigMode_t mode, int economic, int m, int n,   \
                                         T* a, int lda, R* values, T* u, int ldu, T* v, int ldv, T* work, int size,  \
                                         int* info, gesvdjInfo_t params) {                                           \
    return gesvdj(h, mode, economic != 0, m, n, numbers(a), lda, values, numbers(u), ldu, numbers(v), ldv,           \
                  numbers(work), size, info, params);                                                                \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##gesvdjBatched_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode, int m,      \
                                                           int n, const T*, int lda, const R*, const T*, int ldu,    \
                                                           const T*, int ldv, int* size, gesvdjInfo_t, int batch) {  \
    return give_size(h, possible(mode, m, n, lda, ldu, ldv, batch), singular_work<T>(shorter(m, n)) * batch, size);  \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##gesvdjBatched(cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T* a,    \
                                                int lda, R* values, T* u, int ldu, T* v, int ldv, T* work, int size, \
                                                int* info, gesvdjInfo_t params, int batch) {                         \
    return gesvdj(h, mode, false, m, n, numbers(a), lda, values, numbers(u), ldu, numbers(v), ldv, numbers(work),    \
                  size, info, params, batch);                                                                        \
  }

extern "C" {
ITERATION(Gesvdj, gesvdj, gesvdjInfo)
SINGULAR_VALUES(S, float, float)
SINGULAR_VALUES(D, double, double)
SINGULAR_VALUES(C, cuComplex, float)
SINGULAR_VALUES(Z, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, signed char, signed char,
                                             int64_t m, int64_t n, cudaDataType type, const void*, int64_t,
                                             cudaDataType, const void*, cudaDataType, const void*, int64_t,
                                             cudaDataType, const void*, int64_t, cudaDataType, size_t* device,
                                             size_t* host) {
  CUSOLVER_TRY(give_size(h, possible_svd(m, n), 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, svd_work<decltype(number)>(m, n) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t h, cusolverDnParams_t, signed char jobu, signed char jobvt,
                                  int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda, cudaDataType,
                                  void* values, cudaDataType, void* u, int64_t ldu, cudaDataType, void* vt,
                                  int64_t ldvt, cudaDataType, void* work, size_t bytes, void*, size_t, int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return gesvd(h, jobu, jobvt, m, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(values), static_cast<T*>(u), ldu,
                 static_cast<T*>(vt), ldvt, static_cast<T*>(work), int64_t(bytes / sizeof(T)), info);
  });
}

// By polar factors in cuSOLVER, which may add a perturbation: `error`, of which there is none here.
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode, int,
                                              int64_t m, int64_t n, cudaDataType type, const void*, int64_t lda,
                                              cudaDataType, const void*, cudaDataType, const void*, int64_t ldu,
                                              cudaDataType, const void*, int64_t ldv, cudaDataType, size_t* device,
                                              size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(mode, m, n, lda, ldu, ldv), 0, host));
  return with_type(type, [&](auto number) {
    return give_size(h, true, singular_work<decltype(number)>(shorter(m, n)) * int64_t(sizeof number), device);
  });
}
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t mode, int economic,
                                   int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda, cudaDataType,
                                   void* values, cudaDataType, void* u, int64_t ldu, cudaDataType, void* v, int64_t ldv,
                                   cudaDataType, void* work, size_t bytes, void*, size_t, int* info, double* error) {
  static const Iteration by_default;
  if (error) *error = 0;
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return gesvdj(h, mode, economic != 0, m, n, static_cast<T*>(a), lda, static_cast<Real<T>*>(values),
                  static_cast<T*>(u), ldu, static_cast<T*>(v), ldv, static_cast<T*>(work), int64_t(bytes / sizeof(T)),
                  info, &by_default);
  });
}
}
