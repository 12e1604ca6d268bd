// A triangle plus the products of vectors: updates of rank one and two; and triangles packed and unpacked.
#include "storage.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128;

// A + alpha x x^T, or with y A + alpha x y^T + alpha y x^T; of a Hermitian matrix with conjugates. A thread a row.
// `Factor`: the type of alpha, which is real in updates of rank one of a Hermitian matrix.
template <class T, class Factor>
__global__ void update(Layout layout, bool hermitian, Scalar<Factor> factor, const T* x, int64_t incx, const T* y,
                       int64_t incy, T* a) {
  const int64_t n = layout.n, i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) return;
  const T alpha = T(factor.get()), xi = x[place(i, n, incx)];
  for (int64_t j = blockIdx.y; j < n; j += gridDim.y) {
    if (layout.lower ? i < j : i > j) continue;
    const T xj = dense::conjugate_if(hermitian, x[place(j, n, incx)]);
    T sum = alpha * xi * (y ? dense::conjugate_if(hermitian, y[place(j, n, incy)]) : xj);
    if (y) sum += dense::conjugate_if(hermitian, alpha) * y[place(i, n, incy)] * xj;
    T& element = a[layout.place(i, j)];
    element = hermitian && i == j ? T(dense::real(element + sum)) : element + sum;
  }
}
template <class T>
__global__ void rearrange(Layout from, const T* a, Layout to, T* b) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= from.n) return;
  for (int64_t j = blockIdx.y; j < from.n; j += gridDim.y)
    if (from.lower ? i >= j : i <= j) b[to.place(i, j)] = a[from.place(i, j)];
}

dim3 grid_of(int64_t n) { return {unsigned((n + kThreads - 1) / kThreads), blocks_for(n, 1, 65535)}; }

template <class T, class Factor>
cublasStatus_t run_update(cublasHandle_t h, cublasFillMode_t uplo, Storage storage, bool hermitian, int64_t n,
                          const Factor* alpha, const T* x, int64_t incx, const T* y, int64_t incy, T* a, int64_t lda) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(uplo) && n >= 0 && incx != 0 && incy != 0 && (storage == Storage::Packed || lda >= (n > 1 ? n : 1)));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && x && a);
  return launch(h, update<T, Factor>, grid_of(n), kThreads, triangle_layout(storage, uplo, n, lda), hermitian,
                scalar(h, alpha), x, incx, y, incy, a);
}
template <class T>
cublasStatus_t run_rearrange(cublasHandle_t h, cublasFillMode_t uplo, int64_t n, Storage from, const T* a, Storage to,
                             T* b, int64_t ld) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(uplo) && n >= 0 && ld >= (n > 1 ? n : 1));
  if (n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a && b);
  return launch(h, rearrange<T>, grid_of(n), kThreads, triangle_layout(from, uplo, n, ld), a,
                triangle_layout(to, uplo, n, ld), b);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define NONE static_cast<decltype(numbers(x))>(nullptr)
#define WHOLE_1(Name, hermitian, T, A, Form, Int)                                                                     \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const A* alpha, const T* x,  \
                                         Int incx, T* a, Int lda) {                                                   \
    return run_update(h, uplo, Storage::Whole, hermitian, n, numbers(alpha), numbers(x), incx, NONE, 1, numbers(a),   \
                      lda);                                                                                           \
  }
#define WHOLE_2(Name, hermitian, T, Form, Int)                                                                        \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,  \
                                         Int incx, const T* y, Int incy, T* a, Int lda) {                             \
    return run_update(h, uplo, Storage::Whole, hermitian, n, numbers(alpha), numbers(x), incx, numbers(y), incy,      \
                      numbers(a), lda);                                                                               \
  }
#define PACKED_1(Name, hermitian, T, A, Form, Int)                                                                    \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const A* alpha, const T* x,  \
                                         Int incx, T* ap) {                                                           \
    return run_update(h, uplo, Storage::Packed, hermitian, n, numbers(alpha), numbers(x), incx, NONE, 1, numbers(ap), \
                      0);                                                                                             \
  }
#define PACKED_2(Name, hermitian, T, Form, Int)                                                                       \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, Int n, const T* alpha, const T* x,  \
                                         Int incx, const T* y, Int incy, T* ap) {                                     \
    return run_update(h, uplo, Storage::Packed, hermitian, n, numbers(alpha), numbers(x), incx, numbers(y), incy,     \
                      numbers(ap), 0);                                                                                \
  }
#define ALL(P, T, Form, Int)              \
  WHOLE_1(P##syr, false, T, T, Form, Int) \
  WHOLE_2(P##syr2, false, T, Form, Int)
#define REAL(P, T, Form, Int)              \
  PACKED_1(P##spr, false, T, T, Form, Int) \
  PACKED_2(P##spr2, false, T, Form, Int)
#define COMPLEX(P, T, R, Form, Int)       \
  WHOLE_1(P##her, true, T, R, Form, Int)  \
  WHOLE_2(P##her2, true, T, Form, Int)    \
  PACKED_1(P##hpr, true, T, R, Form, Int) \
  PACKED_2(P##hpr2, true, T, Form, Int)
#define OF_FORM(Form, Int)                    \
  ALL(S, float, Form, Int)                    \
  ALL(D, double, Form, Int)                   \
  ALL(C, cuComplex, Form, Int)                \
  ALL(Z, cuDoubleComplex, Form, Int)          \
  REAL(S, float, Form, Int)                   \
  REAL(D, double, Form, Int)                  \
  COMPLEX(C, cuComplex, float, Form, Int)     \
  COMPLEX(Z, cuDoubleComplex, double, Form, Int)
#define REARRANGE(P, T)                                                                                              \
  cublasStatus_t cublas##P##tpttr(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* ap, T* a, int lda) {      \
    return run_rearrange(h, uplo, n, Storage::Packed, numbers(ap), Storage::Whole, numbers(a), lda);                 \
  }                                                                                                                  \
  cublasStatus_t cublas##P##trttp(cublasHandle_t h, cublasFillMode_t uplo, int n, const T* a, int lda, T* ap) {      \
    return run_rearrange(h, uplo, n, Storage::Whole, numbers(a), Storage::Packed, numbers(ap), lda);                 \
  }

extern "C" {
OF_FORM(, int)
OF_FORM(_64, int64_t)
REARRANGE(S, float)
REARRANGE(D, double)
REARRANGE(C, cuComplex)
REARRANGE(Z, cuDoubleComplex)
}
