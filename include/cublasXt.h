// cuBLASXt's host interface, of the part that drywarp has: docs/libraries.md. Matrices lie on the host or on the device.
#ifndef DRYWARP_CUBLASXT_H
#define DRYWARP_CUBLASXT_H
#define CUBLAS_XT_H_

#include "cublas_v2.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct cublasXtContext* cublasXtHandle_t;
typedef enum { CUBLASXT_PINNING_DISABLED = 0, CUBLASXT_PINNING_ENABLED = 1 } cublasXtPinnedMemMode_t;

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle);
cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle);
cublasStatus_t cublasXtGetNumBoards(int count, int* devices, int* boards);
cublasStatus_t cublasXtMaxBoards(int* most);
// The first device computes.
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int* devices);
// Accepted without effect: matrices are copied whole.
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int size);
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* size);
cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t mode);
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t* mode);

cublasStatus_t cublasXtSgemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m,
                             size_t n, size_t k, const float* alpha, const float* a, size_t lda, const float* b,
                             size_t ldb, const float* beta, float* c, size_t ldc);
cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, size_t m,
                             size_t n, size_t k, const double* alpha, const double* a, size_t lda, const double* b,
                             size_t ldb, const double* beta, double* c, size_t ldc);
cublasStatus_t cublasXtSsyrk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n,
                             size_t k, const float* alpha, const float* a, size_t lda, const float* beta, float* c,
                             size_t ldc);
cublasStatus_t cublasXtDsyrk(cublasXtHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, size_t n,
                             size_t k, const double* alpha, const double* a, size_t lda, const double* beta, double* c,
                             size_t ldc);
cublasStatus_t cublasXtStrsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                             cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const float* alpha,
                             const float* a, size_t lda, float* b, size_t ldb);
cublasStatus_t cublasXtDtrsm(cublasXtHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                             cublasOperation_t trans, cublasDiagType_t diag, size_t m, size_t n, const double* alpha,
                             const double* a, size_t lda, double* b, size_t ldb);

#if defined(__cplusplus)
}
#endif

#endif
