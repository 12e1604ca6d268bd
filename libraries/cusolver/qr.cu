// QR factors, and products with the orthogonal one.
#include "../dense/reflectors.h"
#include "handle.h"

namespace drywarp::cusolver {
namespace {

using dense::Sequence;
using dense::View;

template <class T>
__global__ __launch_bounds__(kThreads) void factor_columns(View<T> a, int64_t m, int64_t first, int64_t width, T* tau) {
  dense::factor_orthogonal_columns(a, m, first, width, tau);
}

// Reflects vectors of m elements, a warp each. `step`: from element to element, `next`: from vector to vector.
template <class T>
__global__ __launch_bounds__(kThreads) void reflect(Sequence how, View<const T> v, const T* tau, int64_t first,
                                                    int64_t count, int64_t m, T* x, int64_t step, int64_t next,
                                                    int64_t vectors) {
  for (int64_t id = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32; id < vectors; id += int64_t(gridDim.x) * kWarps)
    dense::reflect_all(how, v, tau, first, count, m, x + id * next, step);
}

// Q's columns, from the reflectors that `copy` saved: those of the identity, reflected.
template <class T>
__global__ __launch_bounds__(kThreads) void copy(const T* from, int64_t ld, int64_t m, int64_t n, T* to) {
  for (int64_t j = blockIdx.x; j < n; j += gridDim.x)
    for (int64_t i = threadIdx.x; i < m; i += kThreads) to[j * m + i] = from[j * ld + i];
}
template <class T>
__global__ __launch_bounds__(kThreads) void make_columns(View<const T> v, const T* tau, int64_t m, int64_t n, int64_t k,
                                                         T* a, int64_t ld) {
  for (int64_t j = int64_t(blockIdx.x) * kWarps + threadIdx.x / 32; j < n; j += int64_t(gridDim.x) * kWarps) {
    for (int64_t i = threadIdx.x % 32; i < m; i += 32) a[j * ld + i] = T(i == j ? 1 : 0);
    __syncwarp();
    dense::reflect_all(Sequence{true, false, false}, v, tau, 0, j + 1 < k ? j + 1 : k, m, a + j * ld, 1);
  }
}

bool possible(int64_t m, int64_t n, int64_t lda) { return m >= 0 && n >= 0 && covers(lda, m); }
bool possible_columns(int64_t m, int64_t n, int64_t k, int64_t lda) {
  return possible(m, n, lda) && n <= m && k >= 0 && k <= n;
}
bool possible_product(bool is_complex, cublasSideMode_t side, cublasOperation_t trans, int64_t m, int64_t n, int64_t k,
                      int64_t lda, int64_t ldc) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int64_t order = left ? m : n;
  return (left || side == CUBLAS_SIDE_RIGHT) && known(trans) && !(is_complex && trans == CUBLAS_OP_T) &&
         possible(m, n, ldc) && k >= 0 && k <= order && covers(lda, order);
}

template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t h, int64_t m, int64_t n, T* data, int64_t lda, T* tau, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible(m, n, lda) && info);
  CUSOLVER_TRY(clear(h, info));
  const int64_t steps = m < n ? m : n;
  CUSOLVER_NEEDS(steps == 0 || (data && tau));
  const View<T> a = dense::columns(data, lda);
  const View<const T> v{data, 1, lda};
  for (int64_t first = 0; first < steps; first += kPanel) {
    const int64_t width = steps - first < kPanel ? steps - first : kPanel, rest = n - first - width;
    CUSOLVER_TRY(launch(h, factor_columns<T>, 1, a, m, first, width, tau));
    if (rest > 0)
      CUSOLVER_TRY(launch(h, reflect<T>, blocks_for(rest, kWarps), Sequence{false, true, false}, v, tau, first, width,
                          m, a.from(0, first + width).data, int64_t(1), lda, rest));
  }
  return CUSOLVER_STATUS_SUCCESS;
}

// Q C, Q^H C, C Q or C Q^H.
template <class T>
cusolverStatus_t ormqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t trans, int64_t m, int64_t n,
                       int64_t k, const T* a, int64_t lda, const T* tau, T* c, int64_t ldc, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible_product(dense::Number<T>::kComplex, side, trans, m, n, k, lda, ldc) && info);
  CUSOLVER_TRY(clear(h, info));
  if (m == 0 || n == 0 || k == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && tau && c);
  const bool left = side == CUBLAS_SIDE_LEFT, adjoint = trans != CUBLAS_OP_N;
  const int64_t vectors = left ? n : m;
  return launch(h, reflect<T>, blocks_for(vectors, kWarps), Sequence{left != adjoint, adjoint, !left},
                View<const T>{a, 1, lda}, tau, int64_t(0), k, left ? m : n, c, left ? int64_t(1) : ldc,
                left ? ldc : int64_t(1), vectors);
}

template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t h, int64_t m, int64_t n, int64_t k, T* a, int64_t lda, const T* tau, T* work,
                       int64_t size, int* info) {
  CUSOLVER_NEEDS_HANDLE(h);
  CUSOLVER_NEEDS(possible_columns(m, n, k, lda) && info);
  CUSOLVER_TRY(clear(h, info));
  if (n == 0) return CUSOLVER_STATUS_SUCCESS;
  CUSOLVER_NEEDS(a && (k == 0 || (tau && work && size >= m * k)));
  if (k > 0) CUSOLVER_TRY(launch(h, copy<T>, blocks_for(k), a, lda, m, k, work));
  return launch(h, make_columns<T>, blocks_for(n, kWarps), View<const T>{work, 1, m}, tau, m, n, k, a, lda);
}

}  // namespace
}  // namespace drywarp::cusolver

using namespace drywarp::cusolver;
using drywarp::dense::Number;
using drywarp::dense::numbers;

// geqrf's own needs nothing: programs give its memory to orgqr.
#define QR(P, Prefix, T)                                                                                             \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t h, int m, int n, T*, int lda, int* size) {     \
    return give_size(h, possible(m, n, lda), int64_t(m) * n, size);                                                  \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t h, int m, int n, T* a, int lda, T* tau, T*, int,          \
                                        int* info) {                                                                 \
    return geqrf(h, m, n, numbers(a), lda, numbers(tau), info);                                                      \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##Prefix##mqr_bufferSize(cusolverDnHandle_t h, cublasSideMode_t side,                \
                                                         cublasOperation_t trans, int m, int n, int k, const T*,     \
                                                         int lda, const T*, const T*, int ldc, int* size) {          \
    using N = std::remove_pointer_t<decltype(numbers(static_cast<T*>(nullptr)))>;                                    \
    return give_size(h, possible_product(Number<N>::kComplex, side, trans, m, n, k, lda, ldc), 0, size);             \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##Prefix##mqr(cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t trans,  \
                                              int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc, \
                                              T*, int, int* info) {                                                  \
    return ormqr(h, side, trans, m, n, k, numbers(a), lda, numbers(tau), numbers(c), ldc, info);                     \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##Prefix##gqr_bufferSize(cusolverDnHandle_t h, int m, int n, int k, const T*,        \
                                                         int lda, const T*, int* size) {                             \
    return give_size(h, possible_columns(m, n, k, lda), int64_t(m) * k, size);                                       \
  }                                                                                                                  \
  cusolverStatus_t cusolverDn##P##Prefix##gqr(cusolverDnHandle_t h, int m, int n, int k, T* a, int lda,              \
                                              const T* tau, T* work, int size, int* info) {                          \
    return orgqr(h, m, n, k, numbers(a), lda, numbers(tau), numbers(work), size, info);                              \
  }

extern "C" {
QR(S, or, float)
QR(D, or, double)
QR(C, un, cuComplex)
QR(Z, un, cuDoubleComplex)

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n,
                                             cudaDataType, const void*, int64_t lda, cudaDataType, const void*,
                                             cudaDataType, size_t* device, size_t* host) {
  CUSOLVER_TRY(give_size(h, possible(m, n, lda), 0, host));
  return give_size(h, true, 0, device);
}
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type,
                                  void* a, int64_t lda, cudaDataType, void* tau, cudaDataType, void*, size_t, void*,
                                  size_t, int* info) {
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return geqrf(h, m, n, static_cast<T*>(a), lda, static_cast<T*>(tau), info);
  });
}
}
