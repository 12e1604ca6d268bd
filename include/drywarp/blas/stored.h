// cuBLAS's functions of matrices that are kept as a triangle, in bands or packed, and its rotations. Included by
// cublas_api.h.
#ifndef DRYWARP_BLAS_STORED_H
#define DRYWARP_BLAS_STORED_H

// What the functions below begin with: of a triangle, and of a triangular matrix under an operation.
#define DRYWARP_UPLO cublasHandle_t h, cublasFillMode_t uplo
#define DRYWARP_TRIANGLE DRYWARP_UPLO, cublasOperation_t trans, cublasDiagType_t diag
#define DRYWARP_SIDE cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo

// A matrix and vectors, and updates of rank one and two. P: the letter of the type T.
#define DRYWARP_CUBLAS_WHOLE_MV(Name, T, Form, Int)                                                                   \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const T* alpha, const T* a, Int lda, const T* x,        \
                                         Int incx, const T* beta, T* y, Int incy);
#define DRYWARP_CUBLAS_BAND_MV(Name, T, Form, Int)                                                                    \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, Int k, const T* alpha, const T* a, Int lda, const T* x, \
                                         Int incx, const T* beta, T* y, Int incy);
#define DRYWARP_CUBLAS_PACKED_MV(Name, T, Form, Int)                                                                  \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const T* alpha, const T* ap, const T* x, Int incx,      \
                                         const T* beta, T* y, Int incy);
#define DRYWARP_CUBLAS_RANK_1(Name, T, A, Form, Int)                                                                  \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const A* alpha, const T* x, Int incx, T* a, Int lda);
#define DRYWARP_CUBLAS_RANK_2(Name, T, Form, Int)                                                                     \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const T* alpha, const T* x, Int incx, const T* y,       \
                                         Int incy, T* a, Int lda);
#define DRYWARP_CUBLAS_PACKED_1(Name, T, A, Form, Int)                                                                \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const A* alpha, const T* x, Int incx, T* ap);
#define DRYWARP_CUBLAS_PACKED_2(Name, T, Form, Int)                                                                   \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_UPLO, Int n, const T* alpha, const T* x, Int incx, const T* y,       \
                                         Int incy, T* ap);
// Products of matrices.
#define DRYWARP_CUBLAS_SYMM(Name, T, Form, Int)                                                                       \
  cublasStatus_t cublas##Name##_v2##Form(DRYWARP_SIDE, Int m, Int n, const T* alpha, const T* a, Int lda, const T* b, \
                                         Int ldb, const T* beta, T* c, Int ldc);
#define DRYWARP_CUBLAS_RANK_2K(Name, T, B, Form, Int)                                                                 \
  cublasStatus_t cublas##Name##Form(DRYWARP_UPLO, cublasOperation_t trans, Int n, Int k, const T* alpha, const T* a,  \
                                    Int lda, const T* b, Int ldb, const B* beta, T* c, Int ldc);
#define DRYWARP_CUBLAS_RANK_EX(Name, A, Form, Int)                                                                    \
  cublasStatus_t cublas##Name##Form(DRYWARP_UPLO, cublasOperation_t trans, Int n, Int k, const A* alpha,              \
                                    const void* a, cudaDataType typea, Int lda, const A* beta, void* c,               \
                                    cudaDataType typec, Int ldc);
#define DRYWARP_CUBLAS_ROT(Name, T, C, S, Form, Int)                                                                  \
  cublasStatus_t cublas##Name##_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const C* c,         \
                                         const S* s);

#define DRYWARP_CUBLAS_STORED(P, T, Form, Int)                                                                        \
  DRYWARP_CUBLAS_WHOLE_MV(P##symv, T, Form, Int)                                                                      \
  DRYWARP_CUBLAS_RANK_1(P##syr, T, T, Form, Int)                                                                      \
  DRYWARP_CUBLAS_RANK_2(P##syr2, T, Form, Int)                                                                        \
  DRYWARP_CUBLAS_SYMM(P##symm, T, Form, Int)                                                                          \
  DRYWARP_CUBLAS_RANK_2K(P##syr2k_v2, T, T, Form, Int)                                                                \
  DRYWARP_CUBLAS_RANK_2K(P##syrkx, T, T, Form, Int)                                                                   \
  cublasStatus_t cublas##P##gbmv_v2##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n, Int kl, Int ku,    \
                                          const T* alpha, const T* a, Int lda, const T* x, Int incx, const T* beta,   \
                                          T* y, Int incy);                                                            \
  cublasStatus_t cublas##P##trmv_v2##Form(DRYWARP_TRIANGLE, Int n, const T* a, Int lda, T* x, Int incx);              \
  cublasStatus_t cublas##P##tbmv_v2##Form(DRYWARP_TRIANGLE, Int n, Int k, const T* a, Int lda, T* x, Int incx);       \
  cublasStatus_t cublas##P##tbsv_v2##Form(DRYWARP_TRIANGLE, Int n, Int k, const T* a, Int lda, T* x, Int incx);       \
  cublasStatus_t cublas##P##tpmv_v2##Form(DRYWARP_TRIANGLE, Int n, const T* ap, T* x, Int incx);                      \
  cublasStatus_t cublas##P##tpsv_v2##Form(DRYWARP_TRIANGLE, Int n, const T* ap, T* x, Int incx);                      \
  cublasStatus_t cublas##P##trmm_v2##Form(DRYWARP_SIDE, cublasOperation_t trans, cublasDiagType_t diag, Int m, Int n, \
                                          const T* alpha, const T* a, Int lda, const T* b, Int ldb, T* c, Int ldc);   \
  cublasStatus_t cublas##P##gemvBatched##Form(cublasHandle_t h, cublasOperation_t trans, Int m, Int n,                \
                                              const T* alpha, const T* const* a, Int lda, const T* const* x,          \
                                              Int incx, const T* beta, T* const* y, Int incy, Int batch);             \
  cublasStatus_t cublas##P##gemvStridedBatched##Form(                                                                 \
      cublasHandle_t h, cublasOperation_t trans, Int m, Int n, const T* alpha, const T* a, Int lda,                   \
      long long int stridea, const T* x, Int incx, long long int stridex, const T* beta, T* y, Int incy,              \
      long long int stridey, Int batch);
#define DRYWARP_CUBLAS_STORED_REAL(P, T, Form, Int)                                                                   \
  DRYWARP_CUBLAS_BAND_MV(P##sbmv, T, Form, Int)                                                                       \
  DRYWARP_CUBLAS_PACKED_MV(P##spmv, T, Form, Int)                                                                     \
  DRYWARP_CUBLAS_PACKED_1(P##spr, T, T, Form, Int)                                                                    \
  DRYWARP_CUBLAS_PACKED_2(P##spr2, T, Form, Int)                                                                      \
  cublasStatus_t cublas##P##rotm_v2##Form(cublasHandle_t h, Int n, T* x, Int incx, T* y, Int incy, const T* param);   \
  cublasStatus_t cublas##P##gemmGroupedBatched##Form(                                                                 \
      cublasHandle_t h, const cublasOperation_t* transa, const cublasOperation_t* transb, const Int* m, const Int* n, \
      const Int* k, const T* alpha, const T* const* a, const Int* lda, const T* const* b, const Int* ldb,             \
      const T* beta, T* const* c, const Int* ldc, Int groups, const Int* sizes);
// R: what is real; r: its small letter.
#define DRYWARP_CUBLAS_STORED_COMPLEX(P, T, R, r, Form, Int)                                                          \
  DRYWARP_CUBLAS_WHOLE_MV(P##hemv, T, Form, Int)                                                                      \
  DRYWARP_CUBLAS_BAND_MV(P##hbmv, T, Form, Int)                                                                       \
  DRYWARP_CUBLAS_PACKED_MV(P##hpmv, T, Form, Int)                                                                     \
  DRYWARP_CUBLAS_RANK_1(P##her, T, R, Form, Int)                                                                      \
  DRYWARP_CUBLAS_RANK_2(P##her2, T, Form, Int)                                                                        \
  DRYWARP_CUBLAS_PACKED_1(P##hpr, T, R, Form, Int)                                                                    \
  DRYWARP_CUBLAS_PACKED_2(P##hpr2, T, Form, Int)                                                                      \
  DRYWARP_CUBLAS_SYMM(P##hemm, T, Form, Int)                                                                          \
  DRYWARP_CUBLAS_RANK_2K(P##her2k_v2, T, R, Form, Int)                                                                \
  DRYWARP_CUBLAS_RANK_2K(P##herkx, T, R, Form, Int)                                                                   \
  DRYWARP_CUBLAS_ROT(P##rot, T, R, T, Form, Int)                                                                      \
  DRYWARP_CUBLAS_ROT(P##r##rot, T, R, R, Form, Int)                                                                   \
  cublasStatus_t cublas##P##gemm3m##Form(cublasHandle_t h, cublasOperation_t transa, cublasOperation_t transb, Int m, \
                                         Int n, Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb,      \
                                         const T* beta, T* c, Int ldc);
#define DRYWARP_CUBLAS_STORED_FORM(Form, Int)                                                                         \
  DRYWARP_CUBLAS_STORED(S, float, Form, Int)                                                                          \
  DRYWARP_CUBLAS_STORED(D, double, Form, Int)                                                                         \
  DRYWARP_CUBLAS_STORED(C, cuComplex, Form, Int)                                                                      \
  DRYWARP_CUBLAS_STORED(Z, cuDoubleComplex, Form, Int)                                                                \
  DRYWARP_CUBLAS_STORED_REAL(S, float, Form, Int)                                                                     \
  DRYWARP_CUBLAS_STORED_REAL(D, double, Form, Int)                                                                    \
  DRYWARP_CUBLAS_STORED_COMPLEX(C, cuComplex, float, s, Form, Int)                                                    \
  DRYWARP_CUBLAS_STORED_COMPLEX(Z, cuDoubleComplex, double, d, Form, Int)                                             \
  DRYWARP_CUBLAS_RANK_EX(CsyrkEx, cuComplex, Form, Int)                                                               \
  DRYWARP_CUBLAS_RANK_EX(Csyrk3mEx, cuComplex, Form, Int)                                                             \
  DRYWARP_CUBLAS_RANK_EX(CherkEx, float, Form, Int)                                                                   \
  DRYWARP_CUBLAS_RANK_EX(Cherk3mEx, float, Form, Int)                                                                 \
  cublasStatus_t cublasRotEx##Form(cublasHandle_t h, Int n, void* x, cudaDataType x_type, Int incx, void* y,          \
                                   cudaDataType y_type, Int incy, const void* c, const void* s, cudaDataType cs_type, \
                                   cudaDataType type);                                                                \
  cublasStatus_t cublasGemmGroupedBatchedEx##Form(                                                                    \
      cublasHandle_t h, const cublasOperation_t* transa, const cublasOperation_t* transb, const Int* m, const Int* n, \
      const Int* k, const void* alpha, const void* const* a, cudaDataType typea, const Int* lda,                      \
      const void* const* b, cudaDataType typeb, const Int* ldb, const void* beta, void* const* c, cudaDataType typec, \
      const Int* ldc, Int groups, const Int* sizes, cublasComputeType_t compute);
DRYWARP_CUBLAS_STORED_FORM(, int)
DRYWARP_CUBLAS_STORED_FORM(_64, int64_t)

// R: the type of the cosine.
#define DRYWARP_CUBLAS_PACKING(P, T, R)                                                             \
  cublasStatus_t cublas##P##tpttr(DRYWARP_UPLO, int n, const T* ap, T* a, int lda);                 \
  cublasStatus_t cublas##P##trttp(DRYWARP_UPLO, int n, const T* a, int lda, T* ap);                 \
  cublasStatus_t cublas##P##rotg_v2(cublasHandle_t h, T* a, T* b, R* c, T* s);
DRYWARP_CUBLAS_PACKING(S, float, float)
DRYWARP_CUBLAS_PACKING(D, double, double)
DRYWARP_CUBLAS_PACKING(C, cuComplex, float)
DRYWARP_CUBLAS_PACKING(Z, cuDoubleComplex, double)
cublasStatus_t cublasSrotmg_v2(cublasHandle_t h, float* d1, float* d2, float* x1, const float* y1, float* param);
cublasStatus_t cublasDrotmg_v2(cublasHandle_t h, double* d1, double* d2, double* x1, const double* y1, double* param);

#undef DRYWARP_UPLO
#undef DRYWARP_TRIANGLE
#undef DRYWARP_SIDE
#undef DRYWARP_CUBLAS_WHOLE_MV
#undef DRYWARP_CUBLAS_BAND_MV
#undef DRYWARP_CUBLAS_PACKED_MV
#undef DRYWARP_CUBLAS_RANK_1
#undef DRYWARP_CUBLAS_RANK_2
#undef DRYWARP_CUBLAS_PACKED_1
#undef DRYWARP_CUBLAS_PACKED_2
#undef DRYWARP_CUBLAS_SYMM
#undef DRYWARP_CUBLAS_RANK_2K
#undef DRYWARP_CUBLAS_RANK_EX
#undef DRYWARP_CUBLAS_ROT
#undef DRYWARP_CUBLAS_STORED
#undef DRYWARP_CUBLAS_STORED_REAL
#undef DRYWARP_CUBLAS_STORED_COMPLEX
#undef DRYWARP_CUBLAS_STORED_FORM
#undef DRYWARP_CUBLAS_PACKING

#endif
