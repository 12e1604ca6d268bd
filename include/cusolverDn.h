// cuSOLVER's interface for dense matrices, of the part that drywarp has: docs/libraries.md. The functions lie in
// drywarp's libcusolver, whose kernels are drywarp's own: their times are not NVIDIA's.
#ifndef DRYWARP_CUSOLVERDN_H
#define DRYWARP_CUSOLVERDN_H
#define CUSOLVERDN_H_

#include "cuComplex.h"
#include "cublas_v2.h"
#include "cuda_runtime_api.h"
#include "cusolver_common.h"

typedef struct cusolverDnContext* cusolverDnHandle_t;
typedef struct cusolverDnParams* cusolverDnParams_t;
typedef struct syevjInfo* syevjInfo_t;
typedef struct gesvdjInfo* gesvdjInfo_t;
typedef struct cusolverDnIRSParams* cusolverDnIRSParams_t;
typedef struct cusolverDnIRSInfos* cusolverDnIRSInfos_t;
typedef enum { CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2 } cusolverDnFunction_t;

#if defined(__cplusplus)
extern "C" {
#endif

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream);
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t mode);
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle, cusolverDeterministicMode_t* mode);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm);  // accepted: there is one algorithm

// Of functions that iterate: GetResidual and GetSweeps wait for the last call.
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info);
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info);
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig);
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double* residual);
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int* executed_sweeps);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info);
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info);
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance);
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps);
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd);
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double* residual);
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int* executed_sweeps);

// T: of the matrices; R: of what is real. OR: the letters of orthogonal (or) or unitary (un) matrices; SY: of symmetric
// (sy) or Hermitian (he) ones.
#define DRYWARP_CUSOLVER_FACTORS(P, OR, T)                                                                             \
  cusolverStatus_t cusolverDn##P##potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a,      \
                                                   int lda, int* size);                                                \
  cusolverStatus_t cusolverDn##P##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda,        \
                                        T* work, int size, int* info);                                                 \
  cusolverStatus_t cusolverDn##P##potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T* a, \
                                        int lda, T* b, int ldb, int* info);                                            \
  cusolverStatus_t cusolverDn##P##potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a[],        \
                                               int lda, int* info, int batch);                                         \
  cusolverStatus_t cusolverDn##P##potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,      \
                                               T* a[], int lda, T* b[], int ldb, int* info, int batch);                \
  cusolverStatus_t cusolverDn##P##potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a,      \
                                                   int lda, int* size);                                                \
  cusolverStatus_t cusolverDn##P##potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda,        \
                                        T* work, int size, int* info);                                                 \
  cusolverStatus_t cusolverDn##P##getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a, int lda, int* size); \
  cusolverStatus_t cusolverDn##P##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots,  \
                                        int* info);                                                                    \
  cusolverStatus_t cusolverDn##P##getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,           \
                                        const T* a, int lda, const int* pivots, T* b, int ldb, int* info);             \
  cusolverStatus_t cusolverDn##P##geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T* a, int lda, int* size); \
  cusolverStatus_t cusolverDn##P##geqrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* tau, T* work,       \
                                        int size, int* info);                                                          \
  cusolverStatus_t cusolverDn##P##OR##gqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T* a,       \
                                                     int lda, const T* tau, int* size);                                \
  cusolverStatus_t cusolverDn##P##OR##gqr(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda, const T* tau, \
                                          T* work, int size, int* info);                                               \
  cusolverStatus_t cusolverDn##P##OR##mqr_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side,                 \
                                                     cublasOperation_t trans, int m, int n, int k, const T* a,         \
                                                     int lda, const T* tau, const T* c, int ldc, int* size);           \
  cusolverStatus_t cusolverDn##P##OR##mqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans,   \
                                          int m, int n, int k, const T* a, int lda, const T* tau, T* c, int ldc,       \
                                          T* work, int size, int* info);
#define DRYWARP_CUSOLVER_VALUES(P, SY, T, R)                                                                           \
  cusolverStatus_t cusolverDn##P##SY##evd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T* a, int lda, const R* w,    \
                                                     int* size);                                                       \
  cusolverStatus_t cusolverDn##P##SY##evd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T* a, int lda, R* w, T* work, int size, int* info);                   \
  cusolverStatus_t cusolverDn##P##SY##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                \
                                                     cublasFillMode_t uplo, int n, const T* a, int lda, const R* w,    \
                                                     int* size, syevjInfo_t params);                                   \
  cusolverStatus_t cusolverDn##P##SY##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,    \
                                          int n, T* a, int lda, R* w, T* work, int size, int* info,                    \
                                          syevjInfo_t params);                                                         \
  cusolverStatus_t cusolverDn##P##SY##evjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz,         \
                                                            cublasFillMode_t uplo, int n, const T* a, int lda,         \
                                                            const R* w, int* size, syevjInfo_t params, int batch);     \
  cusolverStatus_t cusolverDn##P##SY##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz,                    \
                                                 cublasFillMode_t uplo, int n, T* a, int lda, R* w, T* work, int size, \
                                                 int* info, syevjInfo_t params, int batch);                            \
  cusolverStatus_t cusolverDn##P##gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* size);                \
  cusolverStatus_t cusolverDn##P##gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n,  \
                                        T* a, int lda, R* s, T* u, int ldu, T* vt, int ldvt, T* work, int size,        \
                                        R* rwork, int* info);                                                          \
  cusolverStatus_t cusolverDn##P##gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ,       \
                                                    int m, int n, const T* a, int lda, const R* s, const T* u,         \
                                                    int ldu, const T* v, int ldv, int* size, gesvdjInfo_t params);     \
  cusolverStatus_t cusolverDn##P##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n,    \
                                         T* a, int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int size,         \
                                         int* info, gesvdjInfo_t params);                                              \
  cusolverStatus_t cusolverDn##P##gesvdjBatched_bufferSize(                                                            \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T* a, int lda, const R* s, const T* u,    \
      int ldu, const T* v, int ldv, int* size, gesvdjInfo_t params, int batch);                                        \
  cusolverStatus_t cusolverDn##P##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T* a, \
                                                int lda, R* s, T* u, int ldu, T* v, int ldv, T* work, int size,        \
                                                int* info, gesvdjInfo_t params, int batch);
DRYWARP_CUSOLVER_FACTORS(S, or, float)
DRYWARP_CUSOLVER_FACTORS(D, or, double)
DRYWARP_CUSOLVER_FACTORS(C, un, cuComplex)
DRYWARP_CUSOLVER_FACTORS(Z, un, cuDoubleComplex)
DRYWARP_CUSOLVER_VALUES(S, sy, float, float)
DRYWARP_CUSOLVER_VALUES(D, sy, double, double)
DRYWARP_CUSOLVER_VALUES(C, he, cuComplex, float)
DRYWARP_CUSOLVER_VALUES(Z, he, cuDoubleComplex, double)
#undef DRYWARP_CUSOLVER_FACTORS
#undef DRYWARP_CUSOLVER_VALUES

// Eigenvalues of pairs of matrices, and some of all eigenvalues: `found`, on the host, is their number.
#define DRYWARP_CUSOLVER_PAIRS(Name, T, R)                                                                             \
  cusolverStatus_t cusolverDn##Name##gvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t type,                 \
                                                    cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, const T* a,  \
                                                    int lda, const T* b, int ldb, const R* w, int* size);              \
  cusolverStatus_t cusolverDn##Name##gvd(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,    \
                                         cublasFillMode_t uplo, int n, T* a, int lda, T* b, int ldb, R* w, T* work,    \
                                         int size, int* info);                                                         \
  cusolverStatus_t cusolverDn##Name##gvj_bufferSize(                                                                   \
      cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,         \
      const T* a, int lda, const T* b, int ldb, const R* w, int* size, syevjInfo_t params);                            \
  cusolverStatus_t cusolverDn##Name##gvj(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,    \
                                         cublasFillMode_t uplo, int n, T* a, int lda, T* b, int ldb, R* w, T* work,    \
                                         int size, int* info, syevjInfo_t params);                                     \
  cusolverStatus_t cusolverDn##Name##gvdx_bufferSize(                                                                  \
      cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz, cusolverEigRange_t range,             \
      cublasFillMode_t uplo, int n, const T* a, int lda, const T* b, int ldb, R vl, R vu, int il, int iu, int* found,  \
      const R* w, int* size);                                                                                          \
  cusolverStatus_t cusolverDn##Name##gvdx(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,   \
                                          cusolverEigRange_t range, cublasFillMode_t uplo, int n, T* a, int lda, T* b, \
                                          int ldb, R vl, R vu, int il, int iu, int* found, R* w, T* work, int size,    \
                                          int* info);                                                                  \
  cusolverStatus_t cusolverDn##Name##evdx_bufferSize(                                                                  \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo, int n,       \
      const T* a, int lda, R vl, R vu, int il, int iu, int* found, const R* w, int* size);                             \
  cusolverStatus_t cusolverDn##Name##evdx(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cusolverEigRange_t range, \
                                          cublasFillMode_t uplo, int n, T* a, int lda, R vl, R vu, int il, int iu,     \
                                          int* found, R* w, T* work, int size, int* info);
DRYWARP_CUSOLVER_PAIRS(Ssy, float, float)
DRYWARP_CUSOLVER_PAIRS(Dsy, double, double)
DRYWARP_CUSOLVER_PAIRS(Che, cuComplex, float)
DRYWARP_CUSOLVER_PAIRS(Zhe, cuDoubleComplex, double)
#undef DRYWARP_CUSOLVER_PAIRS

// The same with 64-bit sizes, and types as arguments. All that a call names have the type of A, or of its parts.
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t uplo, int64_t n, cudaDataType type, const void* a,
                                             int64_t lda, cudaDataType compute, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, cudaDataType type, void* a, int64_t lda, cudaDataType compute,
                                  void* device, size_t device_bytes, void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
                                  int64_t n, int64_t nrhs, cudaDataType type_a, const void* a, int64_t lda,
                                  cudaDataType type_b, void* b, int64_t ldb, int* info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType type, const void* a, int64_t lda, cudaDataType compute,
                                             size_t* device_bytes, size_t* host_bytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, int64_t* pivots, cudaDataType compute,
                                  void* device, size_t device_bytes, void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
                                  int64_t n, int64_t nrhs, cudaDataType type_a, const void* a, int64_t lda,
                                  const int64_t* pivots, cudaDataType type_b, void* b, int64_t ldb, int* info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                             cudaDataType type, const void* a, int64_t lda, cudaDataType type_tau,
                                             const void* tau, cudaDataType compute, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, cudaDataType type_tau, void* tau,
                                  cudaDataType compute, void* device, size_t device_bytes, void* host,
                                  size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                             cudaDataType type, const void* a, int64_t lda, cudaDataType type_w,
                                             const void* w, cudaDataType compute, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                  cublasFillMode_t uplo, int64_t n, cudaDataType type, void* a, int64_t lda,
                                  cudaDataType type_w, void* w, cudaDataType compute, void* device, size_t device_bytes,
                                  void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXsyevBatched_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
                                                   cudaDataType type, const void* a, int64_t lda, cudaDataType type_w,
                                                   const void* w, cudaDataType compute, size_t* device_bytes,
                                                   size_t* host_bytes, int64_t batch);
cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                        cublasFillMode_t uplo, int64_t n, cudaDataType type, void* a, int64_t lda,
                                        cudaDataType type_w, void* w, cudaDataType compute, void* device,
                                        size_t device_bytes, void* host, size_t host_bytes, int* info, int64_t batch);
cusolverStatus_t cusolverDnXsyevdx_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, cusolverEigRange_t range, cublasFillMode_t uplo,
                                              int64_t n, cudaDataType type, const void* a, int64_t lda, void* vl,
                                              void* vu, int64_t il, int64_t iu, int64_t* found, cudaDataType type_w,
                                              const void* w, cudaDataType compute, size_t* device_bytes,
                                              size_t* host_bytes);
cusolverStatus_t cusolverDnXsyevdx(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                   cusolverEigRange_t range, cublasFillMode_t uplo, int64_t n, cudaDataType type,
                                   void* a, int64_t lda, void* vl, void* vu, int64_t il, int64_t iu, int64_t* found,
                                   cudaDataType type_w, void* w, cudaDataType compute, void* device,
                                   size_t device_bytes, void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgeev_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                            cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
                                            cudaDataType type, const void* a, int64_t lda, cudaDataType type_w,
                                            const void* w, cudaDataType type_vl, const void* vl, int64_t ldvl,
                                            cudaDataType type_vr, const void* vr, int64_t ldvr, cudaDataType compute,
                                            size_t* device_bytes, size_t* host_bytes);
cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobvl,
                                 cusolverEigMode_t jobvr, int64_t n, cudaDataType type, void* a, int64_t lda,
                                 cudaDataType type_w, void* w, cudaDataType type_vl, void* vl, int64_t ldvl,
                                 cudaDataType type_vr, void* vr, int64_t ldvr, cudaDataType compute, void* device,
                                 size_t device_bytes, void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                             signed char jobvt, int64_t m, int64_t n, cudaDataType type, const void* a,
                                             int64_t lda, cudaDataType type_s, const void* s, cudaDataType type_u,
                                             const void* u, int64_t ldu, cudaDataType type_vt, const void* vt,
                                             int64_t ldvt, cudaDataType compute, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                  signed char jobvt, int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda,
                                  cudaDataType type_s, void* s, cudaDataType type_u, void* u, int64_t ldu,
                                  cudaDataType type_vt, void* vt, int64_t ldvt, cudaDataType compute, void* device,
                                  size_t device_bytes, void* host, size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgesvdp_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                              cusolverEigMode_t jobz, int econ, int64_t m, int64_t n, cudaDataType type,
                                              const void* a, int64_t lda, cudaDataType type_s, const void* s,
                                              cudaDataType type_u, const void* u, int64_t ldu, cudaDataType type_v,
                                              const void* v, int64_t ldv, cudaDataType compute, size_t* device_bytes,
                                              size_t* host_bytes);
cusolverStatus_t cusolverDnXgesvdp(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
                                   int econ, int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda,
                                   cudaDataType type_s, void* s, cudaDataType type_u, void* u, int64_t ldu,
                                   cudaDataType type_v, void* v, int64_t ldv, cudaDataType compute, void* device,
                                   size_t device_bytes, void* host, size_t host_bytes, int* info, double* err_sigma);
// The first `rank` values, exactly: the `more` columns and the iterations of an approximation are not needed.
cusolverStatus_t cusolverDnXgesvdr_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                              signed char jobv, int64_t m, int64_t n, int64_t rank, int64_t more,
                                              int64_t iterations, cudaDataType type, const void* a, int64_t lda,
                                              cudaDataType type_s, const void* s, cudaDataType type_u, const void* u,
                                              int64_t ldu, cudaDataType type_v, const void* v, int64_t ldv,
                                              cudaDataType compute, size_t* device_bytes, size_t* host_bytes);
cusolverStatus_t cusolverDnXgesvdr(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
                                   signed char jobv, int64_t m, int64_t n, int64_t rank, int64_t more,
                                   int64_t iterations, cudaDataType type, void* a, int64_t lda, cudaDataType type_s,
                                   void* s, cudaDataType type_u, void* u, int64_t ldu, cudaDataType type_v, void* v,
                                   int64_t ldv, cudaDataType compute, void* device, size_t device_bytes, void* host,
                                   size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag,
                                             int64_t n, cudaDataType type, void* a, int64_t lda, size_t* device_bytes,
                                             size_t* host_bytes);
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                                  cudaDataType type, void* a, int64_t lda, void* device, size_t device_bytes,
                                  void* host, size_t host_bytes, int* info);
// A is not changed. The norm of A - U diag(s) V^H goes to the host, unless `residual` is null.
#define DRYWARP_CUSOLVER_LEADING_VALUES(P, T, R)                                                               \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched_bufferSize(                                             \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T* a, int lda,          \
      long long stride_a, const R* s, long long stride_s, const T* u, int ldu, long long stride_u, const T* v, \
      int ldv, long long stride_v, int* size, int batch);                                                      \
  cusolverStatus_t cusolverDn##P##gesvdaStridedBatched(                                                        \
      cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n, const T* a, int lda,          \
      long long stride_a, R* s, long long stride_s, T* u, int ldu, long long stride_u, T* v, int ldv,          \
      long long stride_v, T* work, int size, int* info, double* residual, int batch);
DRYWARP_CUSOLVER_LEADING_VALUES(S, float, float)
DRYWARP_CUSOLVER_LEADING_VALUES(D, double, double)
DRYWARP_CUSOLVER_LEADING_VALUES(C, cuComplex, float)
DRYWARP_CUSOLVER_LEADING_VALUES(Z, cuDoubleComplex, double)
#undef DRYWARP_CUSOLVER_LEADING_VALUES

// Solvers that refine: here they solve in the matrix's own precision, without an iteration; A stays as it is.
#define DRYWARP_CUSOLVER_GESV(P, T)                                                                                  \
  cusolverStatus_t cusolverDn##P##gesv_bufferSize(cusolverDnHandle_t handle, int n, int nrhs, T* a, int lda,         \
                                                  int* pivots, T* b, int ldb, T* x, int ldx, void* work,             \
                                                  size_t* bytes);                                                    \
  cusolverStatus_t cusolverDn##P##gesv(cusolverDnHandle_t handle, int n, int nrhs, T* a, int lda, int* pivots, T* b, \
                                       int ldb, T* x, int ldx, void* work, size_t bytes, int* iterations, int* info);
DRYWARP_CUSOLVER_GESV(ZZ, cuDoubleComplex)
DRYWARP_CUSOLVER_GESV(ZC, cuDoubleComplex)
DRYWARP_CUSOLVER_GESV(ZK, cuDoubleComplex)
DRYWARP_CUSOLVER_GESV(ZE, cuDoubleComplex)
DRYWARP_CUSOLVER_GESV(ZY, cuDoubleComplex)
DRYWARP_CUSOLVER_GESV(CC, cuComplex)
DRYWARP_CUSOLVER_GESV(CK, cuComplex)
DRYWARP_CUSOLVER_GESV(CE, cuComplex)
DRYWARP_CUSOLVER_GESV(CY, cuComplex)
DRYWARP_CUSOLVER_GESV(DD, double)
DRYWARP_CUSOLVER_GESV(DS, double)
DRYWARP_CUSOLVER_GESV(DH, double)
DRYWARP_CUSOLVER_GESV(DB, double)
DRYWARP_CUSOLVER_GESV(DX, double)
DRYWARP_CUSOLVER_GESV(SS, float)
DRYWARP_CUSOLVER_GESV(SH, float)
DRYWARP_CUSOLVER_GESV(SB, float)
DRYWARP_CUSOLVER_GESV(SX, float)
#undef DRYWARP_CUSOLVER_GESV

cusolverStatus_t cusolverDnIRSParamsCreate(cusolverDnIRSParams_t* params);
cusolverStatus_t cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params, cusolverIRSRefinement_t solver);
cusolverStatus_t cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params, cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                                             cusolverPrecType_t precision);
cusolverStatus_t cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params, cusolverPrecType_t main,
                                                        cusolverPrecType_t lowest);
cusolverStatus_t cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double tolerance);
cusolverStatus_t cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, int iterations);
cusolverStatus_t cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, int iterations);
cusolverStatus_t cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, int* iterations);
cusolverStatus_t cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params);
cusolverStatus_t cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t* infos);
cusolverStatus_t cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos);
cusolverStatus_t cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, int* iterations);
cusolverStatus_t cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, int* iterations);
cusolverStatus_t cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, int n, int nrhs,
                                               size_t* bytes);
cusolverStatus_t cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos,
                                    int n, int nrhs, void* a, int lda, void* b, int ldb, void* x, int ldx, void* work,
                                    size_t bytes, int* iterations, int* info);

#if defined(__cplusplus)
}
#endif

#endif
