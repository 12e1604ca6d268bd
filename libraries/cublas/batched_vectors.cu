// Many products of a matrix and a vector; and groups of many matrix products, each with its own shape.
#include "../dense/numbers.h"
#include "gemm.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128, kWarp = 32;

// A thread a row of A, or a warp a column; blocks in y take the batch.
template <class T>
__global__ void gemv_of_batch(cublasOperation_t trans, int64_t m, int64_t n, int64_t batch, Scalar<T> alpha,
                              Matrix<const T> a, Matrix<const T> x, int64_t incx, Scalar<T> beta, Matrix<T> y,
                              int64_t incy) {
  const bool transposed = trans != CUBLAS_OP_N;
  const int64_t thread = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  const int64_t mine = transposed ? thread / kWarp : thread, count = transposed ? n : m, terms = transposed ? m : n;
  if (mine >= count) return;
  for (int64_t b = blockIdx.y; b < batch; b += gridDim.y) {
    const T* const from = a.of(b);
    const T* const vector = x.of(b);
    T sum = T(0);
    if (transposed) {
      for (int64_t i = thread % kWarp; i < terms; i += kWarp)
        sum += dense::conjugate_if(trans == CUBLAS_OP_C, from[mine * a.ld + i]) * vector[place(i, terms, incx)];
      sum = dense::sum_of_warp(sum);
      if (thread % kWarp != 0) continue;
    } else {
      for (int64_t j = 0; j < terms; ++j) sum += from[j * a.ld + mine] * vector[place(j, terms, incx)];
    }
    T& out = y.of(b)[place(mine, count, incy)];
    const T kept = beta.get();
    out = alpha.get() * sum + (kept == T(0) ? T(0) : kept * out);
  }
}

template <class T>
cublasStatus_t run_gemv(cublasHandle_t h, cublasOperation_t trans, int64_t m, int64_t n, const T* alpha,
                        Matrix<const T> a, Matrix<const T> x, int64_t incx, const T* beta, Matrix<T> y, int64_t incy,
                        int64_t batch) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(trans) && m >= 0 && n >= 0 && a.ld >= (m > 1 ? m : 1) && incx != 0 && incy != 0 && batch >= 0);
  if (m == 0 || n == 0 || batch == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta && (a.array || a.data) && (x.array || x.data) && (y.array || y.data));
  const int64_t threads = trans != CUBLAS_OP_N ? n * kWarp : m;
  const dim3 grid(unsigned((threads + kThreads - 1) / kThreads), blocks_for(batch, 1, 65535));
  return launch(h, gemv_of_batch<T>, grid, kThreads, trans, m, n, batch, scalar(h, alpha), a, x, incx, scalar(h, beta),
                y, incy);
}

size_t scalar_bytes(cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) return 2;
  return compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ||
                 compute == CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT
             ? 8
             : 4;
}
const void* scalar_of(const void* all, cublasComputeType_t compute, int64_t group) {
  return static_cast<const char*>(all) + size_t(group) * scalar_bytes(compute);
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define GEMV(P, T, Form, Int)                                                                                         \
  cublasStatus_t cublas##P##gemvBatched##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n,                \
                                              const T* alpha, const T* const* a, Int lda, const T* const* x,          \
                                              Int incx, const T* beta, T* const* y, Int incy, Int batch) {            \
    return run_gemv(h, trans, m, n, numbers(alpha), matrices(numbers(a), lda), matrices(numbers(x), 1), incx,         \
                    numbers(beta), matrices(numbers(y), 1), incy, batch);                                             \
  }                                                                                                                   \
  cublasStatus_t cublas##P##gemvStridedBatched##Form(                                                                 \
      cublasHandle_t h, cublasOperation_t trans, Int m, Int n, const T* alpha, const T* a, Int lda,                   \
      long long int stridea, const T* x, Int incx, long long int stridex, const T* beta, T* y, Int incy,              \
      long long int stridey, Int batch) {                                                                             \
    return run_gemv(h, trans, m, n, numbers(alpha), matrix(numbers(a), lda, stridea), matrix(numbers(x), 1, stridex), \
                    incx, numbers(beta), matrix(numbers(y), 1, stridey), incy, batch);                                \
  }
// All but the lists of matrices lies on the host, as in cuBLAS.
#define GROUPS(P, T, Form, Int)                                                                                       \
  cublasStatus_t cublas##P##gemmGroupedBatched##Form(                                                                 \
      cublasHandle_t h, const cublasOperation_t* ta, const cublasOperation_t* tb, const Int* m, const Int* n,         \
      const Int* k, const T* alpha, const T* const* a, const Int* lda, const T* const* b, const Int* ldb,             \
      const T* beta, T* const* c, const Int* ldc, Int groups, const Int* sizes) {                                     \
    for (Int g = 0; g < groups; a += sizes[g], b += sizes[g], c += sizes[g], ++g)                                     \
      CUBLAS_TRY(cublas##P##gemmBatched##Form(h, ta[g], tb[g], m[g], n[g], k[g], alpha + g, a, lda[g], b, ldb[g],     \
                                              beta + g, c, ldc[g], sizes[g]));                                        \
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;                                                 \
  }
#define GROUPS_EX(Form, Int)                                                                                          \
  cublasStatus_t cublasGemmGroupedBatchedEx##Form(                                                                    \
      cublasHandle_t h, const cublasOperation_t* ta, const cublasOperation_t* tb, const Int* m, const Int* n,         \
      const Int* k, const void* alpha, const void* const* a, cudaDataType at, const Int* lda, const void* const* b,   \
      cudaDataType bt, const Int* ldb, const void* beta, void* const* c, cudaDataType ct, const Int* ldc, Int groups, \
      const Int* sizes, cublasComputeType_t compute) {                                                                \
    for (Int g = 0; g < groups; a += sizes[g], b += sizes[g], c += sizes[g], ++g)                                     \
      CUBLAS_TRY(cublasGemmBatchedEx##Form(h, ta[g], tb[g], m[g], n[g], k[g], scalar_of(alpha, compute, g), a, at,    \
                                           lda[g], b, bt, ldb[g], scalar_of(beta, compute, g), c, ct, ldc[g],         \
                                           sizes[g], compute, CUBLAS_GEMM_DEFAULT));                                  \
    return h ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;                                                 \
  }
// Of complex floats, the one type of these that is here.
#define RANK_EX(Name, inner, Scalar, Form, Int)                                                                       \
  cublasStatus_t cublas##Name##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k,   \
                                    const Scalar* alpha, const void* a, cudaDataType at, Int lda, const Scalar* beta, \
                                    void* c, cudaDataType ct, Int ldc) {                                              \
    if (at != CUDA_C_32F || ct != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;                                     \
    return inner##Form(h, uplo, trans, n, k, alpha, static_cast<const cuComplex*>(a), lda, beta,                      \
                       static_cast<cuComplex*>(c), ldc);                                                              \
  }
#define OF_FORM(Form, Int)                                   \
  GEMV(S, float, Form, Int)                                  \
  GEMV(D, double, Form, Int)                                 \
  GEMV(C, cuComplex, Form, Int)                              \
  GEMV(Z, cuDoubleComplex, Form, Int)                        \
  GROUPS(S, float, Form, Int)                                \
  GROUPS(D, double, Form, Int)                               \
  GROUPS_EX(Form, Int)                                       \
  RANK_EX(CsyrkEx, cublasCsyrk_v2, cuComplex, Form, Int)     \
  RANK_EX(Csyrk3mEx, cublasCsyrk_v2, cuComplex, Form, Int)   \
  RANK_EX(CherkEx, cublasCherk_v2, float, Form, Int)         \
  RANK_EX(Cherk3mEx, cublasCherk_v2, float, Form, Int)

extern "C" {
OF_FORM(, int)
OF_FORM(_64, int64_t)
}
