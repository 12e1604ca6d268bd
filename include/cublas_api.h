// cuBLAS's interface, of the part that drywarp has: docs/libraries.md. The functions lie in drywarp's libcublas, whose
// kernels are drywarp's own: their times are not NVIDIA's.
#ifndef DRYWARP_CUBLAS_API_H
#define DRYWARP_CUBLAS_API_H
#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "driver_types.h"
#include "library_types.h"

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VER_PATCH 3
#define CUBLAS_VER_BUILD 0
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)
#define CUBLASAPI
#define CUBLASWINAPI

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

// Accepted and without effect: there is one algorithm.
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_ALGO4 = 4,
  CUBLAS_GEMM_ALGO5 = 5,
  CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7,
  CUBLAS_GEMM_ALGO8 = 8,
  CUBLAS_GEMM_ALGO9 = 9,
  CUBLAS_GEMM_ALGO10 = 10,
  CUBLAS_GEMM_ALGO11 = 11,
  CUBLAS_GEMM_ALGO12 = 12,
  CUBLAS_GEMM_ALGO13 = 13,
  CUBLAS_GEMM_ALGO14 = 14,
  CUBLAS_GEMM_ALGO15 = 15,
  CUBLAS_GEMM_ALGO16 = 16,
  CUBLAS_GEMM_ALGO17 = 17,
  CUBLAS_GEMM_ALGO18 = 18,
  CUBLAS_GEMM_ALGO19 = 19,
  CUBLAS_GEMM_ALGO20 = 20,
  CUBLAS_GEMM_ALGO21 = 21,
  CUBLAS_GEMM_ALGO22 = 22,
  CUBLAS_GEMM_ALGO23 = 23,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115,
  CUBLAS_GEMM_AUTOTUNE = 999
} cublasGemmAlgo_t;

// Accepted: products are computed in the type that the computation names, on no tensor core.
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
  CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
  CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79
} cublasComputeType_t;

typedef cudaDataType cublasDataType_t;
typedef struct cublasContext* cublasHandle_t;
typedef void (*cublasLogCallback)(const char* message);

const char* cublasGetStatusName(cublasStatus_t status);
const char* cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes);  // not used
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count);
cublasStatus_t cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char* file);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* callback);

// Every function has a second form with 64-bit numbers of elements, whose name ends in _64.
#define DRYWARP_CUBLAS_COPIES(Form, Int)                                                                            \
  cublasStatus_t cublasSetVector##Form(Int n, Int size, const void* host, Int incx, void* device, Int incy);        \
  cublasStatus_t cublasGetVector##Form(Int n, Int size, const void* device, Int incx, void* host, Int incy);        \
  cublasStatus_t cublasSetVectorAsync##Form(Int n, Int size, const void* host, Int incx, void* device, Int incy,    \
                                            cudaStream_t stream);                                                   \
  cublasStatus_t cublasGetVectorAsync##Form(Int n, Int size, const void* device, Int incx, void* host, Int incy,    \
                                            cudaStream_t stream);                                                   \
  cublasStatus_t cublasSetMatrix##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb);     \
  cublasStatus_t cublasGetMatrix##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb);     \
  cublasStatus_t cublasSetMatrixAsync##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream);                                                   \
  cublasStatus_t cublasGetMatrixAsync##Form(Int rows, Int cols, Int size, const void* a, Int lda, void* b, Int ldb, \
                                            cudaStream_t stream);
DRYWARP_CUBLAS_COPIES(, int)
DRYWARP_CUBLAS_COPIES(_64, int64_t)
#undef DRYWARP_CUBLAS_COPIES

// Vectors of halves, bfloat16, floats and doubles. `type` is what they are computed with, and the type of alpha.
#define DRYWARP_CUBLAS_VECTORS_EX(Form, Int)                                                                          \
  cublasStatus_t cublasAxpyEx##Form(cublasHandle_t h, Int n, const void* alpha, cudaDataType alpha_type,              \
                                    const void* x, cudaDataType x_type, Int incx, void* y, cudaDataType y_type,       \
                                    Int incy, cudaDataType type);                                                     \
  cublasStatus_t cublasScalEx##Form(cublasHandle_t h, Int n, const void* alpha, cudaDataType alpha_type, void* x,     \
                                    cudaDataType x_type, Int incx, cudaDataType type);                                \
  cublasStatus_t cublasDotEx##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,             \
                                   const void* y, cudaDataType y_type, Int incy, void* result,                        \
                                   cudaDataType result_type, cudaDataType type);                                      \
  cublasStatus_t cublasDotcEx##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,            \
                                    const void* y, cudaDataType y_type, Int incy, void* result,                       \
                                    cudaDataType result_type, cudaDataType type);                                     \
  cublasStatus_t cublasNrm2Ex##Form(cublasHandle_t h, Int n, const void* x, cudaDataType x_type, Int incx,            \
                                    void* result, cudaDataType result_type, cudaDataType type);
DRYWARP_CUBLAS_VECTORS_EX(, int)
DRYWARP_CUBLAS_VECTORS_EX(_64, int64_t)
#undef DRYWARP_CUBLAS_VECTORS_EX

// P: S, D, C or Z; T: its type.
#define DRYWARP_CUBLAS_ALL(P, T, Form, Int)                                                                            \
  cublasStatus_t cublas##P##axpy_v2##Form(cublasHandle_t h, Int n, const T* alpha, const T* x, Int incx, T* y,         \
                                          Int incy);                                                                   \
  cublasStatus_t cublas##P##scal_v2##Form(cublasHandle_t h, Int n, const T* alpha, T* x, Int incx);                    \
  cublasStatus_t cublas##P##copy_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* y, Int incy);              \
  cublasStatus_t cublas##P##swap_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy);                    \
  cublasStatus_t cublas##P##gemv_v2##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n, const T* alpha,     \
                                          const T* a, Int lda, const T* x, Int incx, const T* beta, T* y, Int incy);   \
  cublasStatus_t cublas##P##trsv_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,            \
                                          cublasDiagType_t diag, Int n, const T* a, Int lda, T* x, Int incx);          \
  cublasStatus_t cublas##P##gemm_v2##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, \
                                          Int n, Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb,      \
                                          const T* beta, T* c, Int ldc);                                               \
  cublasStatus_t cublas##P##syrk_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n,     \
                                          Int k, const T* alpha, const T* a, Int lda, const T* beta, T* c, Int ldc);   \
  cublasStatus_t cublas##P##trsm_v2##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,              \
                                          cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,                \
                                          const T* alpha, const T* a, Int lda, T* b, Int ldb);                         \
  cublasStatus_t cublas##P##trsmBatched##Form(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,          \
                                              cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n,            \
                                              const T* alpha, const T* const* a, Int lda, T* const* b, Int ldb,        \
                                              Int batch);                                                              \
  cublasStatus_t cublas##P##geam##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m,    \
                                       Int n, const T* alpha, const T* a, Int lda, const T* beta, const T* b, Int ldb, \
                                       T* c, Int ldc);                                                                 \
  cublasStatus_t cublas##P##dgmm##Form(cublasHandle_t h, cublasSideMode_t side, Int m, Int n, const T* a, Int lda,     \
                                       const T* x, Int incx, T* c, Int ldc);                                           \
  cublasStatus_t cublas##P##gemmBatched##Form(                                                                         \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const T* alpha,       \
      const T* const* a, Int lda, const T* const* b, Int ldb, const T* beta, T* const* c, Int ldc, Int batch);         \
  cublasStatus_t cublas##P##gemmStridedBatched##Form(                                                                  \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const T* alpha,       \
      const T* a, Int lda, long long int stridea, const T* b, Int ldb, long long int strideb, const T* beta, T* c,     \
      Int ldc, long long int stridec, Int batch);
DRYWARP_CUBLAS_ALL(S, float, , int)
DRYWARP_CUBLAS_ALL(S, float, _64, int64_t)
DRYWARP_CUBLAS_ALL(D, double, , int)
DRYWARP_CUBLAS_ALL(D, double, _64, int64_t)
DRYWARP_CUBLAS_ALL(C, cuComplex, , int)
DRYWARP_CUBLAS_ALL(C, cuComplex, _64, int64_t)
DRYWARP_CUBLAS_ALL(Z, cuDoubleComplex, , int)
DRYWARP_CUBLAS_ALL(Z, cuDoubleComplex, _64, int64_t)
#undef DRYWARP_CUBLAS_ALL

// P: S or D, in small letters p; T: its type.
#define DRYWARP_CUBLAS_REAL(P, p, T, Form, Int)                                                                        \
  cublasStatus_t cublas##P##rot_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const T* c,          \
                                         const T* s);                                                                  \
  cublasStatus_t cublas##P##dot_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy,          \
                                         T* result);                                                                   \
  cublasStatus_t cublas##P##nrm2_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* result);                   \
  cublasStatus_t cublas##P##asum_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, T* result);                   \
  cublasStatus_t cublasI##p##amax_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result);                \
  cublasStatus_t cublasI##p##amin_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result);                \
  cublasStatus_t cublas##P##ger_v2##Form(cublasHandle_t h, Int m, Int n, const T* alpha, const T* x, Int incx,         \
                                         const T* y, Int incy, T* a, Int lda);
DRYWARP_CUBLAS_REAL(S, s, float, , int)
DRYWARP_CUBLAS_REAL(S, s, float, _64, int64_t)
DRYWARP_CUBLAS_REAL(D, d, double, , int)
DRYWARP_CUBLAS_REAL(D, d, double, _64, int64_t)
#undef DRYWARP_CUBLAS_REAL

// P: C or Z, in small letters q; T: its type. R: of what is real, r its small letter; Q: Sc or Dz.
#define DRYWARP_CUBLAS_COMPLEX(P, Q, q, R, r, T, Form, Int)                                                            \
  cublasStatus_t cublas##P##r##scal_v2##Form(cublasHandle_t h, Int n, const R* alpha, T* x, Int incx);                 \
  cublasStatus_t cublas##P##dotu_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy, T* result);\
  cublasStatus_t cublas##P##dotc_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, const T* y, Int incy, T* result);\
  cublasStatus_t cublas##Q##nrm2_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, R* result);                   \
  cublasStatus_t cublas##Q##asum_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, R* result);                   \
  cublasStatus_t cublasI##q##amax_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result);                \
  cublasStatus_t cublasI##q##amin_v2##Form(cublasHandle_t h, Int n, const T* x, Int incx, Int* result);                \
  cublasStatus_t cublas##P##geru_v2##Form(cublasHandle_t h, Int m, Int n, const T* alpha, const T* x, Int incx, const T* y, Int incy, T* a, Int lda);\
  cublasStatus_t cublas##P##gerc_v2##Form(cublasHandle_t h, Int m, Int n, const T* alpha, const T* x, Int incx, const T* y, Int incy, T* a, Int lda);\
  cublasStatus_t cublas##P##herk_v2##Form(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, Int n, Int k, const R* alpha, const T* a, Int lda, const R* beta, T* c, Int ldc);
DRYWARP_CUBLAS_COMPLEX(C, Sc, c, float, s, cuComplex, , int)
DRYWARP_CUBLAS_COMPLEX(C, Sc, c, float, s, cuComplex, _64, int64_t)
DRYWARP_CUBLAS_COMPLEX(Z, Dz, z, double, d, cuDoubleComplex, , int)
DRYWARP_CUBLAS_COMPLEX(Z, Dz, z, double, d, cuDoubleComplex, _64, int64_t)
#undef DRYWARP_CUBLAS_COMPLEX

#define DRYWARP_CUBLAS_MIXED(Form, Int)                                                                                \
  cublasStatus_t cublasHgemm##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, \
                                   Int k, const __half* alpha, const __half* a, Int lda, const __half* b, Int ldb,     \
                                   const __half* beta, __half* c, Int ldc);                                            \
  cublasStatus_t cublasHgemmBatched##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, \
                                          Int n, Int k, const __half* alpha, const __half* const* a, Int lda,          \
                                          const __half* const* b, Int ldb, const __half* beta, __half* const* c,       \
                                          Int ldc, Int batch);                                                         \
  cublasStatus_t cublasHgemmStridedBatched##Form(                                                                      \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const __half* alpha,  \
      const __half* a, Int lda, long long int stridea, const __half* b, Int ldb, long long int strideb,                \
      const __half* beta, __half* c, Int ldc, long long int stridec, Int batch);                                       \
  cublasStatus_t cublasSgemmEx##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m,      \
                                     Int n, Int k, const float* alpha, const void* a, cudaDataType typea, Int lda,     \
                                     const void* b, cudaDataType typeb, Int ldb, const float* beta, void* c,           \
                                     cudaDataType typec, Int ldc);                                                     \
  cublasStatus_t cublasGemmEx##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m,       \
                                    Int n, Int k, const void* alpha, const void* a, cudaDataType typea, Int lda,       \
                                    const void* b, cudaDataType typeb, Int ldb, const void* beta, void* c,             \
                                    cudaDataType typec, Int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo);  \
  cublasStatus_t cublasGemmBatchedEx##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb,       \
                                           Int m, Int n, Int k, const void* alpha, const void* const* a,               \
                                           cudaDataType typea, Int lda, const void* const* b, cudaDataType typeb,      \
                                           Int ldb, const void* beta, void* const* c, cudaDataType typec, Int ldc,     \
                                           Int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo);             \
  cublasStatus_t cublasGemmStridedBatchedEx##Form(                                                                     \
      cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const void* alpha,    \
      const void* a, cudaDataType typea, Int lda, long long int stridea, const void* b, cudaDataType typeb, Int ldb,   \
      long long int strideb, const void* beta, void* c, cudaDataType typec, Int ldc, long long int stridec, Int batch, \
      cublasComputeType_t compute, cublasGemmAlgo_t algo);
DRYWARP_CUBLAS_MIXED(, int)
DRYWARP_CUBLAS_MIXED(_64, int64_t)
#undef DRYWARP_CUBLAS_MIXED

// LU factors of small matrices, a block each; `pivots` may be null: then rows are not exchanged. `info`: 0, or the
// first zero pivot from 1.
#define DRYWARP_CUBLAS_LU(P, T)                                                                                  \
  cublasStatus_t cublas##P##getrfBatched(cublasHandle_t h, int n, T* const* a, int lda, int* pivots, int* info,  \
                                         int batch);                                                             \
  cublasStatus_t cublas##P##getrsBatched(cublasHandle_t h, cublasOperation_t trans, int n, int nrhs,             \
                                         const T* const* a, int lda, const int* pivots, T* const* b, int ldb,    \
                                         int* info, int batch);                                                  \
  cublasStatus_t cublas##P##getriBatched(cublasHandle_t h, int n, const T* const* a, int lda, const int* pivots, \
                                         T* const* c, int ldc, int* info, int batch);
DRYWARP_CUBLAS_LU(S, float)
DRYWARP_CUBLAS_LU(D, double)
DRYWARP_CUBLAS_LU(C, cuComplex)
DRYWARP_CUBLAS_LU(Z, cuDoubleComplex)
#undef DRYWARP_CUBLAS_LU

// QR factors, least squares (of matrices with no more columns than rows) and inverses (of 32 rows at most). `info` of
// the first two lies on the host; `device_info`: the first zero on R's diagonal, from 1, or 0.
#define DRYWARP_CUBLAS_SMALL(P, T)                                                                               \
  cublasStatus_t cublas##P##geqrfBatched(cublasHandle_t h, int m, int n, T* const* a, int lda, T* const* tau,    \
                                         int* info, int batch);                                                  \
  cublasStatus_t cublas##P##gelsBatched(cublasHandle_t h, cublasOperation_t trans, int m, int n, int nrhs,       \
                                        T* const* a, int lda, T* const* c, int ldc, int* info, int* device_info, \
                                        int batch);                                                              \
  cublasStatus_t cublas##P##matinvBatched(cublasHandle_t h, int n, const T* const* a, int lda, T* const* inverse, \
                                          int ldi, int* info, int batch);
DRYWARP_CUBLAS_SMALL(S, float)
DRYWARP_CUBLAS_SMALL(D, double)
DRYWARP_CUBLAS_SMALL(C, cuComplex)
DRYWARP_CUBLAS_SMALL(Z, cuDoubleComplex)
#undef DRYWARP_CUBLAS_SMALL

#include "drywarp/blas/emulation.h"
#include "drywarp/blas/stored.h"

#if defined(__cplusplus)
}  // extern "C"

// Before CUDA 11, a cudaDataType named the computation.
inline cublasStatus_t cublasMigrateComputeType(cublasHandle_t handle, cudaDataType type, cublasComputeType_t* compute) {
  cublasMath_t mode = CUBLAS_DEFAULT_MATH;
  if (const cublasStatus_t status = cublasGetMathMode(handle, &mode)) return status;
  const bool pedantic = (mode & 0xf) == CUBLAS_PEDANTIC_MATH;
  switch (type) {
    case CUDA_R_32F:
    case CUDA_C_32F:
      *compute = pedantic ? CUBLAS_COMPUTE_32F_PEDANTIC : CUBLAS_COMPUTE_32F;
      return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_64F:
    case CUDA_C_64F:
      *compute = pedantic ? CUBLAS_COMPUTE_64F_PEDANTIC : CUBLAS_COMPUTE_64F;
      return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_16F:
      *compute = pedantic ? CUBLAS_COMPUTE_16F_PEDANTIC : CUBLAS_COMPUTE_16F;
      return CUBLAS_STATUS_SUCCESS;
    case CUDA_R_32I:
      *compute = pedantic ? CUBLAS_COMPUTE_32I_PEDANTIC : CUBLAS_COMPUTE_32I;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
inline cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t handle, cudaEmulationStrategy strategy) {
  return cublasSetEmulationStrategy(handle, static_cast<cublasEmulationStrategy_t>(strategy));
}
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* a, cudaDataType typea, int lda,
                                   const void* b, cudaDataType typeb, int ldb, const void* beta, void* c,
                                   cudaDataType typec, int ldc, cudaDataType type, cublasGemmAlgo_t algo) {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  if (const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute)) return status;
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, b, typeb, ldb, beta, c, typec, ldc,
                      compute, algo);
}
inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* const* a,
                                          cudaDataType typea, int lda, const void* const* b, cudaDataType typeb,
                                          int ldb, const void* beta, void* const* c, cudaDataType typec, int ldc,
                                          int batch, cudaDataType type, cublasGemmAlgo_t algo) {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  if (const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute)) return status;
  return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, b, typeb, ldb, beta, c, typec, ldc,
                             batch, compute, algo);
}
inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                                 cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                                 const void* a, cudaDataType typea, int lda, long long int stridea,
                                                 const void* b, cudaDataType typeb, int ldb, long long int strideb,
                                                 const void* beta, void* c, cudaDataType typec, int ldc,
                                                 long long int stridec, int batch, cudaDataType type,
                                                 cublasGemmAlgo_t algo) {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  if (const cublasStatus_t status = cublasMigrateComputeType(handle, type, &compute)) return status;
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, typea, lda, stridea, b, typeb, ldb,
                                    strideb, beta, c, typec, ldc, stridec, batch, compute, algo);
}
#endif

#endif
