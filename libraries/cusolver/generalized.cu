// Eigenvalues of pairs of matrices, of which B is positive definite: with B = L L^H as those of one matrix. And some of all
// eigenvalues, by their numbers or their range.
#include "../dense/cholesky.h"
#include "../dense/eigenvalues.h"
#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::Real;
using dense::View;

// The whole matrix of which one triangle is given.
template <class T>
__global__ __launch_bounds__(kThreads) void fill(View<const T> lower, int64_t n, T* whole) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < n; i += kThreads)
      whole[j * n + i] = i > j    ? lower.get(i, j)
                         : i == j ? T(dense::real(lower.get(i, i)))
                                  : dense::conjugate(lower.get(j, i));
}
template <class T>
__global__ __launch_bounds__(kThreads) void copy(View<const T> from, int64_t n, T* to, int64_t ld) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < n; i += kThreads) to[j * ld + i] = from.get(i, j);
}
// A block a column: the triangle times X = the column.
template <class T>
__global__ __launch_bounds__(kThreads) void solve_columns(dense::Triangle<const T> triangle, int64_t n, T* x, int64_t ld) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x) dense::solve(triangle, n, x + j * ld, 1);
}
template <class T>
__global__ __launch_bounds__(kThreads) void multiply(dense::Triangle<const T> triangle, View<const T> x, int64_t n, T* to,
                                                     int64_t ld) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < n; i += kThreads) {
      T sum(0);
      for (int64_t k = triangle.lower ? 0 : i; k < (triangle.lower ? i + 1 : n); ++k)
        sum += triangle.a.get(i, k) * x.get(k, j);
      to[j * ld + i] = sum;
    }
}
// What Cholesky's factors could not do: B's first minor that is not positive comes behind what the iteration reports.
__global__ void report(const int* not_positive, int64_t n, int* info) {
  if (*not_positive) *info = int(n) + *not_positive;
}
// Columns [first, first + count) become the first ones. A thread moves a row.
template <class T>
__global__ __launch_bounds__(kThreads) void move_columns(int64_t first, int64_t count, int64_t n, T* a, int64_t ld,
                                                         Real<T>* values) {
  for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; a && i < n; i += int64_t(gridDim.x) * kThreads)
    for (int64_t j = 0; j < count; ++j) a[j * ld + i] = a[(first + j) * ld + i];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (int64_t j = 0; j < count; ++j) values[j] = values[first + j];
}

bool possible(cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, int64_t lda) {
  return known(mode) && known(uplo) && n >= 0 && covers(lda, n);
}
bool known(cusolverEigType_t type) { return type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3; }
bool known(cusolverEigRange_t range, double from, double to, int64_t first, int64_t last, int64_t n) {
  if (range == CUSOLVER_EIG_RANGE_V) return from < to;
  return range == CUSOLVER_EIG_RANGE_ALL || (range == CUSOLVER_EIG_RANGE_I && first >= 1 && first <= last && last <= n);
}

// Beside the memory of the iteration: a whole matrix, and a number for Cholesky's `info`.
template <class T>
int64_t pair_work(int64_t n) {
  return dense::eigen_work<T>(n) + n * n + 1;
}

// What depends on the type: cuSOLVER's functions of one matrix.
template <class T>
struct One;
#define ONE(T, Number, P, sy)                                                                                       \
  template <>                                                                                                       \
  struct One<T> {                                                                                                   \
    static cusolverStatus_t factor(cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T* b, int ldb, int* info) {  \
      return cusolverDn##P##potrf(h, uplo, n, reinterpret_cast<Number*>(b), ldb, nullptr, 0, info);                 \
    }                                                                                                               \
    static cusolverStatus_t values(cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,      \
                                   T* a, int lda, Real<T>* w, T* work, int size, int* info, syevjInfo_t params) {   \
      auto* const matrix = reinterpret_cast<Number*>(a);                                                            \
      auto* const memory = reinterpret_cast<Number*>(work);                                                         \
      return params ? cusolverDn##P##sy##evj(h, mode, uplo, n, matrix, lda, w, memory, size, info, params)          \
                    : cusolverDn##P##sy##evd(h, mode, uplo, n, matrix, lda, w, memory, size, info);                 \
    }                                                                                                               \
  };
ONE(float, float, S, sy)
ONE(double, double, D, sy)
ONE(dense::Complex<float>, cuComplex, C, he)
ONE(dense::Complex<double>, cuDoubleComplex, Z, he)

// A x = l B x (type 1): L^-1 A L^-H y = l y, x = L^-H y. A B x = l x (2): L^H A L y = l y, x = L^-H y. B A x = l x (3): x = L y.
template <class T>
cusolverStatus_t sygv(cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode, cublasFillMode_t uplo, int n,
                      T* a, int lda, T* b, int ldb, Real<T>* values, T* work, int size, int* info, syevjInfo_t params) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(known(type) && possible(mode, uplo, n, lda) && covers(ldb, n) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && b && values && work && size >= pair_work<T>(n));
  T* const whole = work + dense::eigen_work<T>(n);
  int* const not_positive = reinterpret_cast<int*>(whole + int64_t(n) * n);
  const bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
  const unsigned blocks = blocks_for(n);
  const View<const T> factor = dense::lower_triangle(static_cast<const T*>(b), ldb, upper);
  const dense::Triangle<const T> lower{factor, true, false}, adjoint{factor.adjoint(), false, false};
  const View<const T> in_a = dense::columns(static_cast<const T*>(a), lda);
  const View<const T> in_whole = dense::columns(static_cast<const T*>(whole), n);
  CUSOLVER_TRY(One<T>::factor(h, uplo, n, b, ldb, not_positive));
  CUSOLVER_TRY(launch(h, fill<T>, blocks, upper ? in_a.adjoint() : in_a, n, whole));
  if (type == CUSOLVER_EIG_TYPE_1) {
    CUSOLVER_TRY(launch(h, solve_columns<T>, blocks, lower, n, whole, n));
    CUSOLVER_TRY(launch(h, copy<T>, blocks, in_whole.adjoint(), n, a, lda));
    CUSOLVER_TRY(launch(h, solve_columns<T>, blocks, lower, n, a, lda));
  } else {
    CUSOLVER_TRY(launch(h, multiply<T>, blocks, adjoint, in_whole, n, a, lda));
    CUSOLVER_TRY(launch(h, multiply<T>, blocks, adjoint, in_a.adjoint(), n, whole, n));
    CUSOLVER_TRY(launch(h, copy<T>, blocks, in_whole, n, a, lda));
  }
  const int rest = int(dense::eigen_work<T>(n));
  CUSOLVER_TRY(One<T>::values(h, mode, uplo, n, a, lda, values, work, rest, info, params));
  if (mode == CUSOLVER_EIG_MODE_VECTOR && type != CUSOLVER_EIG_TYPE_3)
    CUSOLVER_TRY(launch(h, solve_columns<T>, blocks, adjoint, n, a, lda));
  if (mode == CUSOLVER_EIG_MODE_VECTOR && type == CUSOLVER_EIG_TYPE_3) {
    CUSOLVER_TRY(launch(h, copy<T>, blocks, in_a, n, whole, n));
    CUSOLVER_TRY(launch(h, multiply<T>, blocks, lower, in_whole, n, a, lda));
  }
  return launch(h, report, 1, not_positive, n, info);
}

// Of all eigenvalues, which ascend, those wanted become the first; `found`, on the host, is their number.
template <class T, class Int>
cusolverStatus_t select(cusolverDnHandle_t h, cusolverEigMode_t mode, cusolverEigRange_t range, int64_t n, T* a,
                        int64_t lda, double from, double to, int64_t first, int64_t last, Int* found, Real<T>* values) {
  CUSOLVER_NEEDS(found);
  *found = Int(n);
  if (range == CUSOLVER_EIG_RANGE_ALL || n == 0) return CUSOLVER_STATUS_SUCCESS;
  int64_t begin = first - 1, end = last;
  if (range == CUSOLVER_EIG_RANGE_V) {
    Real<T>* const all = new (std::nothrow) Real<T>[size_t(n)];
    if (!all) return CUSOLVER_STATUS_ALLOC_FAILED;
    cudaError_t error = cudaMemcpyAsync(all, values, size_t(n) * sizeof *all, cudaMemcpyDeviceToHost, h->stream);
    if (!error) error = cudaStreamSynchronize(h->stream);
    for (begin = 0; begin < n && !(double(all[begin]) > from);) ++begin;
    for (end = begin; end < n && double(all[end]) <= to;) ++end;
    delete[] all;
    CUSOLVER_TRY(status_of(error));
  }
  *found = Int(end - begin);
  if (begin == 0 || end == begin) return CUSOLVER_STATUS_SUCCESS;
  return launch(h, move_columns<T>, blocks_for(n, kThreads), begin, end - begin, n,
                mode == CUSOLVER_EIG_MODE_VECTOR ? a : nullptr, lda, values);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::eigen_work;
using drywarp::dense::numbers;
using drywarp::dense::Real;

#define PAIRS(Name, T, R)                                                                                              \
  cusolverStatus_t cusolverDn##Name##gvd_bufferSize(cusolverDnHandle_t h, cusolverEigType_t type,                      \
                                                    cusolverEigMode_t mode, cublasFillMode_t uplo, int n, const T*,    \
                                                    int lda, const T*, int ldb, const R*, int* size) {                 \
    return give_size(h, known(type) && possible(mode, uplo, n, lda) && covers(ldb, n), pair_work<T>(n), size);         \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##gvd(cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode,         \
                                         cublasFillMode_t uplo, int n, T* a, int lda, T* b, int ldb, R* w, T* work,    \
                                         int size, int* info) {                                                        \
    return sygv(h, type, mode, uplo, n, numbers(a), lda, numbers(b), ldb, w, numbers(work), size, info, nullptr);      \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##gvj_bufferSize(cusolverDnHandle_t h, cusolverEigType_t type,                      \
                                                    cusolverEigMode_t mode, cublasFillMode_t uplo, int n, const T*,    \
                                                    int lda, const T*, int ldb, const R*, int* size, syevjInfo_t) {    \
    return give_size(h, known(type) && possible(mode, uplo, n, lda) && covers(ldb, n), pair_work<T>(n), size);         \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##gvj(cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode,         \
                                         cublasFillMode_t uplo, int n, T* a, int lda, T* b, int ldb, R* w, T* work,    \
                                         int size, int* info, syevjInfo_t params) {                                    \
    return sygv(h, type, mode, uplo, n, numbers(a), lda, numbers(b), ldb, w, numbers(work), size, info, params);       \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##gvdx_bufferSize(                                                                  \
      cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode, cusolverEigRange_t range,                  \
      cublasFillMode_t uplo, int n, const T*, int lda, const T*, int ldb, R vl, R vu, int il, int iu, int*, const R*,  \
      int* size) {                                                                                                     \
    const bool ok = known(type) && possible(mode, uplo, n, lda) && covers(ldb, n) && known(range, vl, vu, il, iu, n);  \
    return give_size(h, ok, pair_work<T>(n), size);                                                                    \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##gvdx(cusolverDnHandle_t h, cusolverEigType_t type, cusolverEigMode_t mode,        \
                                          cusolverEigRange_t range, cublasFillMode_t uplo, int n, T* a, int lda, T* b, \
                                          int ldb, R vl, R vu, int il, int iu, int* found, R* w, T* work, int size,    \
                                          int* info) {                                                                 \
    CUSOLVER_NEEDS(known(range, vl, vu, il, iu, n));                                                                   \
    CUSOLVER_TRY(cusolverDn##Name##gvd(h, type, mode, uplo, n, a, lda, b, ldb, w, work, size, info));                  \
    return select(h, mode, range, n, numbers(a), lda, vl, vu, il, iu, found, w);                                       \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##evdx_bufferSize(cusolverDnHandle_t h, cusolverEigMode_t mode,                     \
                                                     cusolverEigRange_t range, cublasFillMode_t uplo, int n, const T*, \
                                                     int lda, R vl, R vu, int il, int iu, int*, const R*, int* size) { \
    return give_size(h, possible(mode, uplo, n, lda) && known(range, vl, vu, il, iu, n), eigen_work<T>(n), size);      \
  }                                                                                                                    \
  cusolverStatus_t cusolverDn##Name##evdx(cusolverDnHandle_t h, cusolverEigMode_t mode, cusolverEigRange_t range,      \
                                          cublasFillMode_t uplo, int n, T* a, int lda, R vl, R vu, int il, int iu,     \
                                          int* found, R* w, T* work, int size, int* info) {                            \
    CUSOLVER_NEEDS(known(range, vl, vu, il, iu, n));                                                                   \
    CUSOLVER_TRY(cusolverDn##Name##evd(h, mode, uplo, n, a, lda, w, work, size, info));                                \
    return select(h, mode, range, n, numbers(a), lda, vl, vu, il, iu, found, w);                                       \
  }

extern "C" {
PAIRS(Ssy, float, float)
PAIRS(Dsy, double, double)
PAIRS(Che, cuComplex, float)
PAIRS(Zhe, cuDoubleComplex, double)

cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t mode,
                                              cusolverEigRange_t, cublasFillMode_t uplo, int64_t n, cudaDataType type,
                                              const void* a, int64_t lda, void*, void*, int64_t, int64_t, int64_t*,
                                              cudaDataType type_w, const void* w, cudaDataType compute, size_t* device,
                                              size_t* host) {
  return cusolverDnXsyevd_bufferSize(h, params, mode, uplo, n, type, a, lda, type_w, w, compute, device, host);
}
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t h, cusolverDnParams_t params, cusolverEigMode_t mode,
                                   cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType type,
                                   void* a, int64_t lda, void* vl, void* vu, int64_t il, int64_t iu, int64_t* found,
                                   cudaDataType type_w, void* w, cudaDataType compute, void* device,
                                   size_t device_bytes, void* host, size_t host_bytes, int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    const bool by_values = range == CUSOLVER_EIG_RANGE_V;
    CUSOLVER_NEEDS(!by_values || (vl && vu));
    const double from = by_values ? double(*static_cast<Real<T>*>(vl)) : 0;
    const double to = by_values ? double(*static_cast<Real<T>*>(vu)) : 0;
    CUSOLVER_NEEDS(known(range, from, to, il, iu, n));
    CUSOLVER_TRY(cusolverDnXsyevd(h, params, mode, uplo, n, type, a, lda, type_w, w, compute, device, device_bytes, host,
                                  host_bytes, info));
    return select(h, mode, range, n, static_cast<T*>(a), lda, from, to, il, iu, found, static_cast<Real<T>*>(w));
  });
}
}
