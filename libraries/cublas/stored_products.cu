// Products with symmetric, Hermitian and triangular matrices, and updates of rank 2k: as products of whole matrices.
#include "gemm.h"
#include "storage.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128;

template <class T>
__global__ void expand(Stored<T> a, T* to) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= a.rows) return;
  for (int64_t j = blockIdx.y; j < a.cols; j += gridDim.y) to[j * a.rows + i] = a.get(i, j);
}
template <class T>
__global__ void copy_matrix(int64_t m, int64_t n, const T* a, int64_t lda, T* to) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= m) return;
  for (int64_t j = blockIdx.y; j < n; j += gridDim.y) to[j * m + i] = a[j * lda + i];
}
// What her2k needs beside alpha if its scalars lie on the device.
template <class T>
__global__ void her2k_scalars(const T* alpha, const dense::Real<T>* beta, T* to) {
  if (alpha) to[0] = dense::conjugate(*alpha);
  to[1] = T(*beta);
}

dim3 grid_of(int64_t m, int64_t n) { return {unsigned((m + kThreads - 1) / kThreads), blocks_for(n, 1, 65535)}; }
bool covers(int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); }

// C = alpha A B + beta C, or with A on the right.
template <class T>
cublasStatus_t run_symm(cublasHandle_t h, Kind kind, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
                        const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb, const T* beta, T* c,
                        int64_t ldc) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int64_t order = left ? m : n;
  CUBLAS_NEEDS((left || side == CUBLAS_SIDE_RIGHT) && known(uplo) && m >= 0 && n >= 0 && covers(lda, order) &&
               covers(ldb, m) && covers(ldc, m));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta && a && b && c);
  const Scratch<T> dense_a(h, order * order);
  CUBLAS_TRY(dense_a.status());
  CUBLAS_TRY(launch(h, expand<T>, grid_of(order, order), kThreads, whole(kind, uplo, order, a, lda), dense_a.get()));
  const Matrix<const T> mine = matrix<const T>(dense_a.get(), order), other = matrix(b, ldb);
  return product<T, T, T>(h, {CUBLAS_OP_N, CUBLAS_OP_N, m, n, order}, scalar(h, alpha), left ? mine : other,
                          left ? other : mine, scalar(h, beta), matrix(c, ldc));
}

// C = alpha op(A) B, or with A on the right; C may be B.
template <class T>
cublasStatus_t run_trmm(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                        cublasDiagType_t diag, int64_t m, int64_t n, const T* alpha, const T* a, int64_t lda,
                        const T* b, int64_t ldb, T* c, int64_t ldc) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool left = side == CUBLAS_SIDE_LEFT;
  const int64_t order = left ? m : n;
  CUBLAS_NEEDS((left || side == CUBLAS_SIDE_RIGHT) && known(uplo) && known(trans) && m >= 0 && n >= 0 &&
               covers(lda, order) && covers(ldb, m) && covers(ldc, m));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && a && b && c);
  const Scratch<T> dense_a(h, order * order), old_b(h, b == c ? m * n : 1);
  CUBLAS_TRY(dense_a.status());
  CUBLAS_TRY(old_b.status());
  const Stored<T> triangle = whole(Kind::Triangular, uplo, order, a, lda, diag == CUBLAS_DIAG_UNIT);
  CUBLAS_TRY(launch(h, expand<T>, grid_of(order, order), kThreads, triangle, dense_a.get()));
  if (b == c) {
    CUBLAS_TRY(launch(h, copy_matrix<T>, grid_of(m, n), kThreads, m, n, b, ldb, old_b.get()));
    b = old_b.get(), ldb = m;
  }
  const Matrix<const T> mine = matrix<const T>(dense_a.get(), order), other = matrix(b, ldb);
  return product<T, T, T>(h, {left ? trans : CUBLAS_OP_N, left ? CUBLAS_OP_N : trans, m, n, order}, scalar(h, alpha),
                          left ? mine : other, left ? other : mine, Scalar<T>{T(0), nullptr}, matrix(c, ldc));
}

// C = alpha A B^T + beta C, of which one triangle is written; if `both`, plus alpha B A^T. Of Hermitian C: with
// adjoints, and the conjugate of the second alpha. `Kept`: the type of beta.
template <class T, class Kept>
cublasStatus_t run_rank(cublasHandle_t h, bool hermitian, bool both, cublasFillMode_t uplo, cublasOperation_t trans,
                        int64_t n, int64_t k, const T* alpha, const T* a, int64_t lda, const T* b, int64_t ldb,
                        const Kept* beta, T* c, int64_t ldc) {
  const bool normal = trans == CUBLAS_OP_N;
  const cublasOperation_t transposed = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
  ProductShape shape{normal ? CUBLAS_OP_N : transposed, normal ? transposed : CUBLAS_OP_N, n, n, k};
  shape.part = uplo == CUBLAS_FILL_MODE_LOWER ? Part::Lower : Part::Upper;
  shape.real_diagonal = hermitian;
  bool empty = false;
  CUBLAS_TRY(check_shape(h, shape, lda, ldb, ldc, empty));
  CUBLAS_NEEDS(known(uplo) && known(trans) && !(hermitian && trans == CUBLAS_OP_T));
  if (empty) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta);
  const Scalar<T> first = scalar(h, alpha);
  Scalar<T> second = first, kept{};
  if (h->pointers == CUBLAS_POINTER_MODE_HOST) {
    kept.value = T(*beta);
    if (hermitian) second.value = dense::conjugate(*alpha);
  } else if constexpr (std::is_same_v<T, Kept>) {
    kept.device = beta;
  } else {
    T* const scalars = static_cast<T*>(h->partials);
    CUBLAS_TRY(launch(h, her2k_scalars<T>, 1, 1, alpha, beta, scalars));
    second.device = scalars, kept.device = scalars + 1;
  }
  CUBLAS_TRY((product<T, T, T>(h, shape, first, matrix(a, lda), matrix(b, ldb), kept, matrix(c, ldc))));
  if (!both) return CUBLAS_STATUS_SUCCESS;
  return product<T, T, T>(h, shape, second, matrix(b, ldb), matrix(a, lda), Scalar<T>{T(1), nullptr}, matrix(c, ldc));
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define SYMM(Name, kind, T, Form, Int)                                                                                 \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, Int m, Int n, \
                                         const T* alpha, const T* a, Int lda, const T* b, Int ldb, const T* beta,      \
                                         T* c, Int ldc) {                                                              \
    return run_symm(h, kind, side, uplo, m, n, numbers(alpha), numbers(a), lda, numbers(b), ldb, numbers(beta),        \
                    numbers(c), ldc);                                                                                  \
  }
#define RANK(Name, hermitian, both, T, Kept, Form, Int)                                                                \
  cublasStatus_t cublas##Name##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,    \
                                    const T* alpha, const T* a, Int lda, const T* b, Int ldb, const Kept* beta, T* c,  \
                                    Int ldc) {                                                                         \
    return run_rank(h, hermitian, both, uplo, trans, n, k, numbers(alpha), numbers(a), lda, numbers(b), ldb,           \
                    numbers(beta), numbers(c), ldc);                                                                   \
  }
#define ALL(P, T, Form, Int)                                                                                           \
  SYMM(P##symm, Kind::Symmetric, T, Form, Int)                                                                         \
  RANK(P##syr2k_v2, false, true, T, T, Form, Int)                                                                      \
  RANK(P##syrkx, false, false, T, T, Form, Int)                                                                        \
  cublasStatus_t cublas##P##trmm_v2##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                          cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,                \
                                          const T* alpha, const T* a, Int lda, const T* b, Int ldb, T* c, Int ldc) {   \
    return run_trmm(h, side, uplo, trans, diag, m, n, numbers(alpha), numbers(a), lda, numbers(b), ldb, numbers(c),    \
                    ldc);                                                                                              \
  }
#define COMPLEX(P, T, R, Form, Int)                                                                                    \
  SYMM(P##hemm, Kind::Hermitian, T, Form, Int)                                                                         \
  RANK(P##her2k_v2, true, true, T, R, Form, Int)                                                                       \
  RANK(P##herkx, true, false, T, R, Form, Int)                                                                         \
  cublasStatus_t cublas##P##gemm3m##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n,   \
                                         Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb,              \
                                         const T* beta, T* c, Int ldc) {                                               \
    return cublas##P##gemm_v2##Form(h, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                          \
  }
#define OF_FORM(Form, Int)                    \
  ALL(S, float, Form, Int)                    \
  ALL(D, double, Form, Int)                   \
  ALL(C, cuComplex, Form, Int)                \
  ALL(Z, cuDoubleComplex, Form, Int)          \
  COMPLEX(C, cuComplex, float, Form, Int)     \
  COMPLEX(Z, cuDoubleComplex, double, Form, Int)

extern "C" {
OF_FORM(, int)
OF_FORM(_64, int64_t)
}
