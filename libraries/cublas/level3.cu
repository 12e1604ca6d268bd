// The functions that are matrix products, and sums and diagonal products of matrices.
#include "../dense/numbers.h"
#include "gemm.h"
#include "sums.h"

namespace drywarp::cublas {
namespace {

constexpr int kThreads = 128;

template <class T>
cublasStatus_t plain_product(cublasHandle_t h, const ProductShape& shape, const T* alpha, Matrix<const T> a,
                            Matrix<const T> b, const T* beta, Matrix<T> c) {
  bool empty = false;
  CUBLAS_TRY(check_shape(h, shape, a.ld, b.ld, c.ld, empty));
  if (empty) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta);
  return product<T, T, T>(h, shape, scalar(h, alpha), a, b, scalar(h, beta), c);
}

template <class T>
__global__ void geam(int64_t m, int64_t n, Scalar<T> alpha, dense::View<const T> a, Scalar<T> beta,
                     dense::View<const T> b, T* c, int64_t ldc) {
  const int64_t row = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= m) return;
  const T factor_a = alpha.get(), factor_b = beta.get();
  for (int64_t column = blockIdx.y; column < n; column += gridDim.y) {
    T sum = T(0);
    if (factor_a != T(0)) sum += factor_a * a.get(row, column);
    if (factor_b != T(0)) sum += factor_b * b.get(row, column);
    c[column * ldc + row] = sum;
  }
}
template <class T>
__global__ void dgmm(bool left, int64_t m, int64_t n, const T* a, int64_t lda, const T* x, int64_t incx, T* c,
                     int64_t ldc) {
  const int64_t row = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= m) return;
  for (int64_t column = blockIdx.y; column < n; column += gridDim.y)
    c[column * ldc + row] = a[column * lda + row] * (left ? x[place(row, m, incx)] : x[place(column, n, incx)]);
}

template <class T>
dense::View<const T> operand(cublasOperation_t trans, const T* a, int64_t ld) {
  return trans == CUBLAS_OP_N ? dense::View<const T>{a, 1, ld} : dense::View<const T>{a, ld, 1, trans == CUBLAS_OP_C};
}

dim3 grid_of(int64_t m, int64_t n) { return {unsigned((m + kThreads - 1) / kThreads), blocks_for(n, 1, 65535)}; }
bool covers(int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); }

template <class T>
cublasStatus_t run_geam(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
                        const T* alpha, const T* a, int64_t lda, const T* beta, const T* b, int64_t ldb, T* c,
                        int64_t ldc) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(known(transa) && known(transb) && m >= 0 && n >= 0 && covers(ldc, m) &&
               covers(lda, transa == CUBLAS_OP_N ? m : n) && covers(ldb, transb == CUBLAS_OP_N ? m : n));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta && c);
  return launch(h, geam<T>, grid_of(m, n), kThreads, m, n, scalar(h, alpha), operand(transa, a, lda), scalar(h, beta),
                operand(transb, b, ldb), c, ldc);
}
template <class T>
cublasStatus_t run_dgmm(cublasHandle_t h, cublasSideMode_t side, int64_t m, int64_t n, const T* a, int64_t lda,
                        const T* x, int64_t incx, T* c, int64_t ldc) {
  if (!h) return CUBLAS_STATUS_NOT_INITIALIZED;
  CUBLAS_NEEDS(m >= 0 && n >= 0 && covers(lda, m) && covers(ldc, m));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(a && x && c);
  return launch(h, dgmm<T>, grid_of(m, n), kThreads, side == CUBLAS_SIDE_LEFT, m, n, a, lda, x, incx, c, ldc);
}

// C = alpha A A^T + beta C, of which one triangle is written.
template <class T>
cublasStatus_t run_syrk(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
                        const T* alpha, const T* a, int64_t lda, const T* beta, T* c, int64_t ldc) {
  const bool normal = trans == CUBLAS_OP_N;
  const ProductShape shape{normal ? CUBLAS_OP_N : CUBLAS_OP_T,
                           normal ? CUBLAS_OP_T : CUBLAS_OP_N,
                           n,
                           n,
                           k,
                           1,
                           uplo == CUBLAS_FILL_MODE_LOWER ? Part::Lower : Part::Upper};
  CUBLAS_NEEDS(known(trans) && (uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER));
  return plain_product<T>(h, shape, alpha, matrix(a, lda), matrix(a, lda), beta, matrix(c, ldc));
}

// The real scalars of a Hermitian product, as complex ones: in the partial sums' place if they lie on the device.
template <class T>
__global__ void widen(const dense::Real<T>* alpha, const dense::Real<T>* beta, T* to) {
  to[0] = T(*alpha), to[1] = T(*beta);
}
// C = alpha A A^H + beta C, of which one triangle is written.
template <class T>
cublasStatus_t run_herk(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
                        const dense::Real<T>* alpha, const T* a, int64_t lda, const dense::Real<T>* beta, T* c,
                        int64_t ldc) {
  const bool normal = trans == CUBLAS_OP_N;
  ProductShape shape{normal ? CUBLAS_OP_N : CUBLAS_OP_C, normal ? CUBLAS_OP_C : CUBLAS_OP_N, n, n, k};
  shape.part = uplo == CUBLAS_FILL_MODE_LOWER ? Part::Lower : Part::Upper;
  shape.real_diagonal = true;
  bool empty = false;
  CUBLAS_TRY(check_shape(h, shape, lda, lda, ldc, empty));
  CUBLAS_NEEDS((normal || trans == CUBLAS_OP_C) && (uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER));
  if (empty) return CUBLAS_STATUS_SUCCESS;
  CUBLAS_NEEDS(alpha && beta);
  Scalar<T> factor{}, kept{};
  if (h->pointers == CUBLAS_POINTER_MODE_HOST) {
    factor.value = T(*alpha), kept.value = T(*beta);
  } else {
    T* const both = static_cast<T*>(h->partials);
    CUBLAS_TRY(launch(h, widen<T>, 1, 1, alpha, beta, both));
    factor.device = both, kept.device = both + 1;
  }
  return product<T, T, T>(h, shape, factor, matrix(a, lda), matrix(a, lda), kept, matrix(c, ldc));
}

// ---- products of several types
struct Operand {
  const void* data;
  const void* const* array;  // of a batch; null: `stride` apart
  cudaDataType type;
  int64_t ld, stride;
  template <class T>
  [[nodiscard]] Matrix<const T> as() const {
    return {static_cast<const T*>(data), ld, stride, reinterpret_cast<const T* const*>(array)};
  }
};
struct Target {
  void* data;
  void* const* array;
  cudaDataType type;
  int64_t ld, stride;
  template <class T>
  [[nodiscard]] Matrix<T> as() const {
    return {static_cast<T*>(data), ld, stride, reinterpret_cast<T* const*>(array)};
  }
};

// The scalars of a 16-bit computation are halves: on the host they widen to the sums' type. On the device they are not
// supported.
cublasStatus_t half_scalar(cublasHandle_t h, const void* at, Scalar<float>& out) {
  if (h->pointers != CUBLAS_POINTER_MODE_HOST) return CUBLAS_STATUS_NOT_SUPPORTED;
  out = {__half2float(*static_cast<const __half*>(at)), nullptr};
  return CUBLAS_STATUS_SUCCESS;
}

template <class In, class Out, class Sum>
cublasStatus_t mixed(cublasHandle_t h, const ProductShape& shape, const void* alpha, const Operand& a, const Operand& b,
                     const void* beta, const Target& c, bool half_scalars) {
  Scalar<Sum> factor{}, kept{};
  if constexpr (std::is_same_v<Sum, float>) {
    if (half_scalars) {
      CUBLAS_TRY(half_scalar(h, alpha, factor));
      CUBLAS_TRY(half_scalar(h, beta, kept));
      return product<In, Out, Sum>(h, shape, factor, a.as<In>(), b.as<In>(), kept, c.as<Out>());
    }
  }
  factor = scalar(h, static_cast<const Sum*>(alpha));
  kept = scalar(h, static_cast<const Sum*>(beta));
  return product<In, Out, Sum>(h, shape, factor, a.as<In>(), b.as<In>(), kept, c.as<Out>());
}

using Mixed = cublasStatus_t (*)(cublasHandle_t, const ProductShape&, const void*, const Operand&, const Operand&,
                                 const void*, const Target&, bool);
struct Combination {
  cudaDataType in, out;
  Sums sums;
  Mixed run;
};
// Half sums are computed as floats and rounded at the end.
const Combination kCombinations[] = {
    {CUDA_R_16F, CUDA_R_16F, Sums::Half, mixed<__half, __half, float>},
    {CUDA_R_16F, CUDA_R_16F, Sums::Float, mixed<__half, __half, float>},
    {CUDA_R_16F, CUDA_R_32F, Sums::Float, mixed<__half, float, float>},
    {CUDA_R_16BF, CUDA_R_16BF, Sums::Float, mixed<__nv_bfloat16, __nv_bfloat16, float>},
    {CUDA_R_16BF, CUDA_R_32F, Sums::Float, mixed<__nv_bfloat16, float, float>},
    {CUDA_R_32F, CUDA_R_32F, Sums::Float, mixed<float, float, float>},
    {CUDA_R_64F, CUDA_R_64F, Sums::Double, mixed<double, double, double>},
    {CUDA_C_32F, CUDA_C_32F, Sums::Float, mixed<dense::Complex<float>, dense::Complex<float>, dense::Complex<float>>},
    {CUDA_C_64F, CUDA_C_64F, Sums::Double,
     mixed<dense::Complex<double>, dense::Complex<double>, dense::Complex<double>>},
    {CUDA_R_8I, CUDA_R_32I, Sums::Int, mixed<int8_t, int32_t, int32_t>},
    {CUDA_R_8I, CUDA_R_32F, Sums::Float, mixed<int8_t, float, float>}};

cublasStatus_t mixed_product(cublasHandle_t h, const ProductShape& shape, const void* alpha, const Operand& a,
                             const Operand& b, const void* beta, const Target& c, cublasComputeType_t compute) {
  bool empty = false;
  CUBLAS_TRY(check_shape(h, shape, a.ld, b.ld, c.ld, empty));
  Sums sums{};
  CUBLAS_NEEDS(sums_of(compute, sums));
  for (const Combination& known : kCombinations) {
    if (known.in != a.type || known.in != b.type || known.out != c.type || known.sums != sums) continue;
    if (empty) return CUBLAS_STATUS_SUCCESS;
    CUBLAS_NEEDS(alpha && beta);
    return known.run(h, shape, alpha, a, b, beta, c, sums == Sums::Half);
  }
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace
}  // namespace drywarp::cublas

using namespace drywarp::cublas;

using drywarp::dense::numbers;

#define LEVEL3(P, T, Form, Int) \
  cublasStatus_t cublas##P##gemm_v2##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, \
                                          Int n, Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb, \
                                          const T* beta, T* c, Int ldc) { \
    return plain_product(h, {transa, transb, m, n, k}, numbers(alpha), matrix(numbers(a), lda), matrix(numbers(b), ldb), numbers(beta), matrix(numbers(c), ldc)); \
  } \
  cublasStatus_t cublas##P##gemmBatched##Form( \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const T* alpha, \
      const T* const* a, Int lda, const T* const* b, Int ldb, const T* beta, T* const* c, Int ldc, Int batch) { \
    return plain_product(h, {transa, transb, m, n, k, batch}, numbers(alpha), matrices(numbers(a), lda), matrices(numbers(b), ldb), numbers(beta), matrices(numbers(c), ldc)); \
  } \
  cublasStatus_t cublas##P##gemmStridedBatched##Form( \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const T* alpha, \
      const T* a, Int lda, long long int stridea, const T* b, Int ldb, long long int strideb, const T* beta, T* c, \
      Int ldc, long long int stridec, Int batch) { \
    return plain_product(h, {transa, transb, m, n, k, batch}, numbers(alpha), matrix(numbers(a), lda, stridea), matrix(numbers(b), ldb, strideb), numbers(beta), matrix(numbers(c), ldc, stridec)); \
  } \
  cublasStatus_t cublas##P##syrk_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n, \
                                          Int k, const T* alpha, const T* a, Int lda, const T* beta, T* c, Int ldc) { \
    return run_syrk(h, uplo, trans, n, k, numbers(alpha), numbers(a), lda, numbers(beta), numbers(c), ldc); \
  } \
  cublasStatus_t cublas##P##geam##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, \
                                       Int n, const T* alpha, const T* a, Int lda, const T* beta, const T* b, Int ldb, \
                                       T* c, Int ldc) { \
    return run_geam(h, transa, transb, m, n, numbers(alpha), numbers(a), lda, numbers(beta), numbers(b), ldb, numbers(c), ldc); \
  } \
  cublasStatus_t cublas##P##dgmm##Form(cublasHandle_t h, cublasSideMode_t side, Int m, Int n, const T* a, Int lda, \
                                       const T* x, Int incx, T* c, Int ldc) { \
    return run_dgmm(h, side, m, n, numbers(a), lda, numbers(x), incx, numbers(c), ldc); \
  }

#define HERK(P, T, R, Form, Int)                                                                                       \
  cublasStatus_t cublas##P##herk_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n,     \
                                          Int k, const R* alpha, const T* a, Int lda, const R* beta, T* c, Int ldc) {  \
    return run_herk(h, uplo, trans, n, k, alpha, numbers(a), lda, beta, numbers(c), ldc);                              \
  }

#define MIXED(Form, Int)                                                                                               \
  cublasStatus_t cublasHgemm##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k,  \
                                   const __half* alpha, const __half* a, Int lda, const __half* b, Int ldb,            \
                                   const __half* beta, __half* c, Int ldc) {                                           \
    return mixed_product(h, {ta, tb, m, n, k}, alpha, {a, nullptr, CUDA_R_16F, lda, 0},                                \
                         {b, nullptr, CUDA_R_16F, ldb, 0}, beta, {c, nullptr, CUDA_R_16F, ldc, 0},                     \
                         CUBLAS_COMPUTE_16F);                                                                          \
  }                                                                                                                    \
  cublasStatus_t cublasHgemmBatched##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n,  \
                                          Int k, const __half* alpha, const __half* const* a, Int lda,                 \
                                          const __half* const* b, Int ldb, const __half* beta, __half* const* c,       \
                                          Int ldc, Int batch) {                                                        \
    return mixed_product(h, {ta, tb, m, n, k, batch}, alpha,                                                           \
                         {nullptr, reinterpret_cast<const void* const*>(a), CUDA_R_16F, lda, 0},                       \
                         {nullptr, reinterpret_cast<const void* const*>(b), CUDA_R_16F, ldb, 0}, beta,                 \
                         {nullptr, reinterpret_cast<void* const*>(c), CUDA_R_16F, ldc, 0}, CUBLAS_COMPUTE_16F);        \
  }                                                                                                                    \
  cublasStatus_t cublasHgemmStridedBatched##Form(                                                                      \
      cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k, const __half* alpha,          \
      const __half* a, Int lda, long long int sa, const __half* b, Int ldb, long long int sb, const __half* beta,      \
      __half* c, Int ldc, long long int sc, Int batch) {                                                               \
    return mixed_product(h, {ta, tb, m, n, k, batch}, alpha, {a, nullptr, CUDA_R_16F, lda, sa},                        \
                         {b, nullptr, CUDA_R_16F, ldb, sb}, beta, {c, nullptr, CUDA_R_16F, ldc, sc},                   \
                         CUBLAS_COMPUTE_16F);                                                                          \
  }                                                                                                                    \
  cublasStatus_t cublasSgemmEx##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n,       \
                                     Int k, const float* alpha, const void* a, cudaDataType at, Int lda,               \
                                     const void* b, cudaDataType bt, Int ldb, const float* beta, void* c,              \
                                     cudaDataType ct, Int ldc) {                                                       \
    return mixed_product(h, {ta, tb, m, n, k}, alpha, {a, nullptr, at, lda, 0}, {b, nullptr, bt, ldb, 0}, beta,        \
                         {c, nullptr, ct, ldc, 0}, CUBLAS_COMPUTE_32F);                                                \
  }                                                                                                                    \
  cublasStatus_t cublasGemmEx##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k, \
                                    const void* alpha, const void* a, cudaDataType at, Int lda, const void* b,         \
                                    cudaDataType bt, Int ldb, const void* beta, void* c, cudaDataType ct, Int ldc,     \
                                    cublasComputeType_t compute, cublasGemmAlgo_t) {                                   \
    return mixed_product(h, {ta, tb, m, n, k}, alpha, {a, nullptr, at, lda, 0}, {b, nullptr, bt, ldb, 0}, beta,        \
                         {c, nullptr, ct, ldc, 0}, compute);                                                           \
  }                                                                                                                    \
  cublasStatus_t cublasGemmBatchedEx##Form(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, \
                                           Int k, const void* alpha, const void* const* a, cudaDataType at, Int lda,   \
                                           const void* const* b, cudaDataType bt, Int ldb, const void* beta,           \
                                           void* const* c, cudaDataType ct, Int ldc, Int batch,                        \
                                           cublasComputeType_t compute, cublasGemmAlgo_t) {                            \
    return mixed_product(h, {ta, tb, m, n, k, batch}, alpha, {nullptr, a, at, lda, 0}, {nullptr, b, bt, ldb, 0}, beta, \
                         {nullptr, c, ct, ldc, 0}, compute);                                                           \
  }                                                                                                                    \
  cublasStatus_t cublasGemmStridedBatchedEx##Form(                                                                     \
      cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k, const void* alpha,            \
      const void* a, cudaDataType at, Int lda, long long int sa, const void* b, cudaDataType bt, Int ldb,              \
      long long int sb, const void* beta, void* c, cudaDataType ct, Int ldc, long long int sc, Int batch,              \
      cublasComputeType_t compute, cublasGemmAlgo_t) {                                                                 \
    return mixed_product(h, {ta, tb, m, n, k, batch}, alpha, {a, nullptr, at, lda, sa}, {b, nullptr, bt, ldb, sb},     \
                         beta, {c, nullptr, ct, ldc, sc}, compute);                                                    \
  }

extern "C" {
LEVEL3(S, float, , int)
LEVEL3(S, float, _64, int64_t)
LEVEL3(D, double, , int)
LEVEL3(D, double, _64, int64_t)
LEVEL3(C, cuComplex, , int)
LEVEL3(C, cuComplex, _64, int64_t)
LEVEL3(Z, cuDoubleComplex, , int)
LEVEL3(Z, cuDoubleComplex, _64, int64_t)
HERK(C, cuComplex, float, , int)
HERK(C, cuComplex, float, _64, int64_t)
HERK(Z, cuDoubleComplex, double, , int)
HERK(Z, cuDoubleComplex, double, _64, int64_t)
MIXED(, int)
MIXED(_64, int64_t)
}
