// Matrices that are kept as a triangle, in bands or packed, and vectors: products and triangular systems.
#include "storage.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128, kWarp = 32;

// A warp a row of op(A).
template <class T>
__global__ void stored_mv(Stored<T> a, int64_t m, int64_t n, Scalar<T> alpha, const T* x, int64_t incx, Scalar<T> beta,
                          T* y, int64_t incy) {
  const int64_t row = (int64_t(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= m) return;
  T sum = T(0);
  for (int64_t j = a.first(row) + threadIdx.x % kWarp; j < a.end(row); j += kWarp)
    sum += a.get(row, j) * x[place(j, n, incx)];
  sum = dense::sum_of_warp(sum);
  if (threadIdx.x % kWarp != 0) return;
  T& out = y[place(row, m, incy)];
  const T kept = beta.get();
  out = alpha.get() * sum + (kept == T(0) ? T(0) : kept * out);
}
template <class T>
__global__ void gather(int64_t n, const T* x, int64_t incx, T* to) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i < n) to[i] = x[place(i, n, incx)];
}
// One block: as each element is known, what it adds to the others is taken off them.
template <class T>
__global__ void stored_sv(Stored<T> a, T* x, int64_t incx) {
  const int64_t n = a.rows;
  const bool lower = a.layout.lower != a.transposed;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = lower ? k : n - 1 - k;
    T& mine = x[place(i, n, incx)];
    if (threadIdx.x == 0 && !a.unit) mine /= a.get(i, i);
    __syncthreads();
    const T known = mine;
    const int64_t reach = a.below;  // a triangle's band
    const int64_t first = lower ? i + 1 : (i > reach ? i - reach : 0);
    const int64_t end = lower ? (n - 1 - i > reach ? i + reach + 1 : n) : i;
    for (int64_t other = first + threadIdx.x; other < end; other += kThreads)
      x[place(other, n, incx)] -= a.get(other, i) * known;
    __syncthreads();
  }
}

unsigned warps_for(int64_t rows) { return unsigned((rows * kWarp + kThreads - 1) / kThreads); }

// y = alpha op(A) x + beta y
template <class T>
cublasStatus_t run_mv(cublasHandle_t h, const Stored<T>& a, const T* alpha, const T* x, int64_t incx, const T* beta,
                      T* y, int64_t incy) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(a.rows >= 0 && a.cols >= 0 && a.below >= 0 && a.above >= 0 && incx != 0 && incy != 0);
  const int64_t m = a.transposed ? a.cols : a.rows, n = a.transposed ? a.rows : a.cols;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta && a.data && x && y);
  return launch(h, stored_mv<T>, warps_for(m), kThreads, a, m, n, scalar(h, alpha), x, incx, scalar(h, beta), y, incy);
}
// x = op(A) x
template <class T>
cublasStatus_t run_trmv(cublasHandle_t h, const Stored<T>& a, T* x, int64_t incx) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  const int64_t n = a.rows;
  CUBLAS_NEEDS(n >= 0 && a.below >= 0 && incx != 0);
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a.data && x);
  const Scratch<T> old(h, n);
  CUBLAS_TRY(old.status());
  CUBLAS_TRY(launch(h, gather<T>, unsigned((n + kThreads - 1) / kThreads), kThreads, n, x, incx, old.get()));
  return launch(h, stored_mv<T>, warps_for(n), kThreads, a, n, n, Scalar<T>{T(1), nullptr}, old.get(), int64_t(1),
                Scalar<T>{T(0), nullptr}, x, incx);
}
template <class T>
cublasStatus_t run_trsv(cublasHandle_t h, const Stored<T>& a, T* x, int64_t incx) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(a.rows >= 0 && a.below >= 0 && incx != 0);
  if (a.rows == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a.data && x);
  return launch(h, stored_sv<T>, 1, kThreads, a, x, incx);
}

bool covers(int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); }

template <class T>
Stored<T> general_band(int64_t m, int64_t n, int64_t kl, int64_t ku, const T* a, int64_t lda) {
  return {a, {Storage::Banded, false, n, lda, ku}, Kind::General, false, m, n, kl, ku};
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define NEEDS_SHAPE(condition)                  \
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED; \
  CUBLAS_NEEDS(condition)

#define GBMV(P, T, Form, Int)                                                                                          \
  cublasStatus_t cublas##P##gbmv_v2##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n, Int kl, Int ku,     \
                                          const T* alpha, const T* a, Int lda, const T* x, Int incx, const T* beta,    \
                                          T* y, Int incy) {                                                            \
    NEEDS_SHAPE(known(trans) && lda >= kl + ku + 1);                                                                   \
    return run_mv(h, general_band(m, n, kl, ku, numbers(a), lda).under(trans), numbers(alpha), numbers(x), incx,       \
                  numbers(beta), numbers(y), incy);                                                                    \
  }
// The three storages of a symmetric or Hermitian matrix.
#define WHOLE_MV(Name, kind, T, Form, Int)                                                                             \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const T* alpha, const T* a,   \
                                         Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {               \
    NEEDS_SHAPE(known(uplo) && covers(lda, n));                                                                        \
    return run_mv(h, whole(kind, uplo, n, numbers(a), lda), numbers(alpha), numbers(x), incx, numbers(beta),           \
                  numbers(y), incy);                                                                                   \
  }
#define BAND_MV(Name, kind, T, Form, Int)                                                                              \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, Int k, const T* alpha,        \
                                         const T* a, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy) {   \
    NEEDS_SHAPE(known(uplo) && lda >= k + 1);                                                                          \
    return run_mv(h, band(kind, uplo, n, k, numbers(a), lda), numbers(alpha), numbers(x), incx, numbers(beta),         \
                  numbers(y), incy);                                                                                   \
  }
#define PACKED_MV(Name, kind, T, Form, Int)                                                                            \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const T* alpha, const T* ap,  \
                                         const T* x, Int incx, const T* beta, T* y, Int incy) {                        \
    NEEDS_SHAPE(known(uplo));                                                                                          \
    return run_mv(h, packed(kind, uplo, n, numbers(ap)), numbers(alpha), numbers(x), incx, numbers(beta), numbers(y),  \
                  incy);                                                                                               \
  }
#define TRIANGLES(P, T, Form, Int)                                                                                     \
  cublasStatus_t cublas##P##trmv_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,            \
                                          cublasDiagType_t diag, Int n, const T* a, Int lda, T* x, Int incx) {         \
    NEEDS_SHAPE(known(uplo) && known(trans) && covers(lda, n));                                                        \
    return run_trmv(h, whole(Kind::Triangular, uplo, n, numbers(a), lda, diag == CUBLAS_DIAG_UNIT).under(trans),       \
                    numbers(x), incx);                                                                                 \
  }                                                                                                                    \
  BAND_TRIANGLE(P##tbmv, run_trmv, T, Form, Int)                                                                       \
  BAND_TRIANGLE(P##tbsv, run_trsv, T, Form, Int)                                                                       \
  PACKED_TRIANGLE(P##tpmv, run_trmv, T, Form, Int)                                                                     \
  PACKED_TRIANGLE(P##tpsv, run_trsv, T, Form, Int)
#define BAND_TRIANGLE(Name, run, T, Form, Int)                                                                         \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,             \
                                         cublasDiagType_t diag, Int n, Int k, const T* a, Int lda, T* x, Int incx) {   \
    NEEDS_SHAPE(known(uplo) && known(trans) && lda >= k + 1);                                                          \
    return run(h, band(Kind::Triangular, uplo, n, k, numbers(a), lda, diag == CUBLAS_DIAG_UNIT).under(trans),          \
               numbers(x), incx);                                                                                      \
  }
#define PACKED_TRIANGLE(Name, run, T, Form, Int)                                                                       \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,             \
                                         cublasDiagType_t diag, Int n, const T* ap, T* x, Int incx) {                  \
    NEEDS_SHAPE(known(uplo) && known(trans));                                                                          \
    return run(h, packed(Kind::Triangular, uplo, n, numbers(ap), diag == CUBLAS_DIAG_UNIT).under(trans), numbers(x),   \
               incx);                                                                                                  \
  }
#define REAL(P, T, Form, Int)                             \
  BAND_MV(P##sbmv, Kind::Symmetric, T, Form, Int)         \
  PACKED_MV(P##spmv, Kind::Symmetric, T, Form, Int)
#define COMPLEX(P, T, Form, Int)                          \
  WHOLE_MV(P##hemv, Kind::Hermitian, T, Form, Int)        \
  BAND_MV(P##hbmv, Kind::Hermitian, T, Form, Int)         \
  PACKED_MV(P##hpmv, Kind::Hermitian, T, Form, Int)
#define ALL(P, T, Form, Int)                              \
  GBMV(P, T, Form, Int)                                   \
  WHOLE_MV(P##symv, Kind::Symmetric, T, Form, Int)        \
  TRIANGLES(P, T, Form, Int)
#define OF_FORM(Form, Int)              \
  ALL(S, float, Form, Int)              \
  ALL(D, double, Form, Int)             \
  ALL(C, cuComplex, Form, Int)          \
  ALL(Z, cuDoubleComplex, Form, Int)    \
  REAL(S, float, Form, Int)             \
  REAL(D, double, Form, Int)            \
  COMPLEX(C, cuComplex, Form, Int)      \
  COMPLEX(Z, cuDoubleComplex, Form, Int)

extern "C" {
OF_FORM(, int)
OF_FORM(_64, int64_t)
}
