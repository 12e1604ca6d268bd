// A matrix and vectors.
#include "../dense/numbers.h"
#include "handle.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128, kWarp = 32;

// y = beta * y, of which a beta of 0 reads nothing.
template <class T>
__device__ T scaled(T beta, const T& y) {
  return beta == T(0) ? T(0) : beta * y;
}

// A thread a row: the columns are read by neighbouring threads.
template <class T>
__global__ void gemv(int64_t m, int64_t n, Scalar<T> alpha, const T* a, int64_t lda, const T* x, int64_t incx,
                     Scalar<T> beta, T* y, int64_t incy) {
  const int64_t row = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  __shared__ T part[kThreads];
  T sum = T(0);
  for (int64_t first = 0; first < n; first += kThreads) {
    const int64_t mine = first + threadIdx.x;
    part[threadIdx.x] = mine < n ? x[place(mine, n, incx)] : T(0);
    __syncthreads();
    const int count = int(n - first < kThreads ? n - first : kThreads);
    if (row < m)
      for (int j = 0; j < count; ++j) sum += a[(first + j) * lda + row] * part[j];
    __syncthreads();
  }
  if (row >= m) return;
  T& out = y[place(row, m, incy)];
  out = alpha.get() * sum + scaled(beta.get(), out);
}

// A warp a column: its elements are read by neighbouring lanes.
template <class T>
__global__ void gemv_transposed(bool conjugated, int64_t m, int64_t n, Scalar<T> alpha, const T* a, int64_t lda, const T* x,
                                int64_t incx, Scalar<T> beta, T* y, int64_t incy) {
  const int64_t column = (int64_t(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (column >= n) return;
  T sum = T(0);
  for (int64_t i = threadIdx.x % kWarp; i < m; i += kWarp) sum += dense::conjugate_if(conjugated, a[column * lda + i]) * x[place(i, m, incx)];
  sum = dense::sum_of_warp(sum);
  if (threadIdx.x % kWarp != 0) return;
  T& out = y[place(column, n, incy)];
  out = alpha.get() * sum + scaled(beta.get(), out);
}

template <class T>
__global__ void ger(bool conjugated, int64_t m, int64_t n, Scalar<T> alpha, const T* x, int64_t incx, const T* y, int64_t incy, T* a,
                    int64_t lda) {
  const int64_t row = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= m) return;
  const T scaled_x = alpha.get() * x[place(row, m, incx)];
  for (int64_t column = blockIdx.y; column < n; column += gridDim.y)
    a[column * lda + row] += scaled_x * dense::conjugate_if(conjugated, y[place(column, n, incy)]);
}

template <class T>
cublasStatus_t run_gemv(cublasHandle_t h, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha, const T* a,
                        int64_t lda, const T* x, int64_t incx, const T* beta, T* y, int64_t incy) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(trans) && m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1) && incx != 0 && incy != 0);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta && a && x && y);
  const bool transposed = trans != CUBLAS_OP_N;
  const int64_t threads = transposed ? n * kWarp : m;
  const unsigned blocks = unsigned((threads + kThreads - 1) / kThreads);
  if (transposed)
    return launch(h, gemv_transposed<T>, blocks, kThreads, trans == CUBLAS_OP_C, m, n, scalar(h, alpha), a, lda, x,
                  incx, scalar(h, beta), y, incy);
  return launch(h, gemv<T>, blocks, kThreads, m, n, scalar(h, alpha), a, lda, x, incx, scalar(h, beta), y, incy);
}

template <class T>
cublasStatus_t run_ger(cublasHandle_t h, bool conjugated, int64_t m, int64_t n, const T* alpha, const T* x, int64_t incx, const T* y,
                       int64_t incy, T* a, int64_t lda) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1) && incx != 0 && incy != 0);
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && x && y && a);
  return launch(h, ger<T>, dim3(unsigned((m + kThreads - 1) / kThreads), blocks_for(n, 1, 65535)), kThreads, conjugated, m,
                n, scalar(h, alpha), x, incx, y, incy, a, lda);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define GEMV(P, T, Form, Int)                                                                                         \
  cublasStatus_t cublas##P##gemv_v2##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n, const T* alpha,    \
                                          const T* a, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) { \
    return run_gemv(h, trans, m, n, numbers(alpha), numbers(a), lda, numbers(x), incx, numbers(beta), numbers(y),     \
                    incy);                                                                                            \
  }
#define GER(Name, conjugated, T, Form, Int)                                                                       \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, Int m, Int n, const T* alpha, const T* x, Int incx,    \
                                         const T* y, Int incy, T* a, Int lda) {                                   \
    return run_ger(h, conjugated, m, n, numbers(alpha), numbers(x), incx, numbers(y), incy, numbers(a), lda);     \
  }
#define LEVEL2(Form, Int)                          \
  GEMV(S, float, Form, Int)                        \
  GEMV(D, double, Form, Int)                       \
  GEMV(C, cuComplex, Form, Int)                    \
  GEMV(Z, cuDoubleComplex, Form, Int)              \
  GER(Sger, false, float, Form, Int)               \
  GER(Dger, false, double, Form, Int)              \
  GER(Cgeru, false, cuComplex, Form, Int)          \
  GER(Zgeru, false, cuDoubleComplex, Form, Int)    \
  GER(Cgerc, true, cuComplex, Form, Int)           \
  GER(Zgerc, true, cuDoubleComplex, Form, Int)

extern "C" {
LEVEL2(, int)
LEVEL2(_64, int64_t)
}
