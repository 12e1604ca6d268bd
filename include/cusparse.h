// cuSPARSE's interface, of the part that drywarp has: docs/libraries.md. The functions lie in drywarp's libcusparse,
// whose kernels are drywarp's own: their times are not NVIDIA's.
#ifndef DRYWARP_CUSPARSE_H
#define DRYWARP_CUSPARSE_H
#define CUSPARSE_H_

#include <stddef.h>
#include <stdint.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "drywarp/sparse/types.h"
#include "library_types.h"

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 3
#define CUSPARSE_VER_BUILD 0
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)
#define CUSPARSEAPI

#if defined(__cplusplus)
extern "C" {
#endif

// Handles, and descriptors of the functions that take arrays.
cusparseStatus_t cusparseCreate(cusparseHandle_t* handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value);
const char* cusparseGetErrorName(cusparseStatus_t status);
const char* cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode);
cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descr);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t value);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t value);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t value);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descr);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t value);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descr);

// Descriptors of vectors and matrices.
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* vector, int64_t size, int64_t nnz, void* indices,
                                     void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type);
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t vector, int64_t* size, int64_t* nnz, void** indices,
                                  void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                  cudaDataType* type);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* vector, int64_t size, void* values, cudaDataType type);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t vector, int64_t* size, void** values, cudaDataType* type);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz, void* offsets,
                                   void* indices, void* values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz, void** offsets,
                                void** indices, void** values, cusparseIndexType_t* offsets_type,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz, void* offsets,
                                   void* indices, void* values, cusparseIndexType_t offsets_type,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz, void** offsets,
                                void** indices, void** values, cusparseIndexType_t* offsets_type,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz,
                                   void* row_indices, void* column_indices, void* values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz,
                                void** row_indices, void** column_indices, void** values,
                                cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld, void* values,
                                     cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* ld, void** values,
                                  cudaDataType* type, cusparseOrder_t* order);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t descr, void** values);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t descr, void** values);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t descr, void** values);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t descr, void** values);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* vector, int64_t size, int64_t nnz,
                                          const void* indices, const void* values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vector, int64_t* size, int64_t* nnz,
                                       const void** indices, const void** values, cusparseIndexType_t* index_type,
                                       cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t* vector, int64_t size, const void* values,
                                          cudaDataType type);
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vector, int64_t* size, const void** values,
                                       cudaDataType* type);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz,
                                        const void* offsets, const void* indices, const void* values,
                                        cusparseIndexType_t offsets_type, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz,
                                     const void** offsets, const void** indices, const void** values,
                                     cusparseIndexType_t* offsets_type, cusparseIndexType_t* index_type,
                                     cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateConstCsc(cusparseConstSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz,
                                        const void* offsets, const void* indices, const void* values,
                                        cusparseIndexType_t offsets_type, cusparseIndexType_t index_type,
                                        cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz,
                                     const void** offsets, const void** indices, const void** values,
                                     cusparseIndexType_t* offsets_type, cusparseIndexType_t* index_type,
                                     cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateConstCoo(cusparseConstSpMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t nnz,
                                        const void* row_indices, const void* column_indices, const void* values,
                                        cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type);
cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz,
                                     const void** row_indices, const void** column_indices, const void** values,
                                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t* matrix, int64_t rows, int64_t cols, int64_t ld,
                                          const void* values, cudaDataType type, cusparseOrder_t order);
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* ld,
                                       const void** values, cudaDataType* type, cusparseOrder_t* order);
cusparseStatus_t cusparseConstSpVecGetValues(cusparseConstSpVecDescr_t descr, const void** values);
cusparseStatus_t cusparseConstDnVecGetValues(cusparseConstDnVecDescr_t descr, const void** values);
cusparseStatus_t cusparseConstSpMatGetValues(cusparseConstSpMatDescr_t descr, const void** values);
cusparseStatus_t cusparseConstDnMatGetValues(cusparseConstDnMatDescr_t descr, const void** values);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t descr);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t descr, void* values);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descr);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t descr, void* values);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descr);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t descr, void* values);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descr);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t descr, void* values);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t vector, cusparseIndexBase_t* base);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t* format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t* base);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows, int64_t* cols, int64_t* nnz);
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute,
                                           void* data, size_t size);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void* data,
                                           size_t size);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t matrix, int* count);
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t offsets_stride,
                                            int64_t values_stride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t matrix, int count, int64_t stride);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void* offsets_or_rows, void* indices,
                                        void* values);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void* offsets_or_rows, void* indices,
                                        void* values);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void* offsets_or_rows, void* indices,
                                        void* values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t matrix, int count, int64_t stride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t matrix, int* count, int64_t* stride);

// Vectors.
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                               const void* beta, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c, const void* s, cusparseSpVecDescr_t x,
                             cusparseDnVecDescr_t y);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                                         cusparseConstDnVecDescr_t y, const void* result, cudaDataType compute,
                                         size_t* size);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void* result, cudaDataType compute, void* buffer);

// Products.
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm,
                                         size_t* size);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm,
                                         void* buffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t algorithm, size_t* size);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void* beta, cusparseDnMatDescr_t c, cudaDataType compute,
                                         cusparseSpMMAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType compute,
                              cusparseSpMMAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                          const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                          cusparseSDDMMAlg_t algorithm, size_t* size);
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                          const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                          cusparseSDDMMAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                               const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                               cusparseSDDMMAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t descr, int64_t* products);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t op_a,
                                               cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute, cusparseSpGEMMAlg_t algorithm,
                                               cusparseSpGEMMDescr_t descr, size_t* size, void* buffer);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                        const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                        cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descr, size_t* size,
                                        void* buffer);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                     const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                     const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                     cusparseSpGEMMAlg_t algorithm, cusparseSpGEMMDescr_t descr);

// Triangles.
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpSVAlg_t algorithm,
                                         cusparseSpSVDescr_t descr, size_t* size);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr,
                                       void* buffer);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t algorithm, cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t algorithm,
                                         cusparseSpSMDescr_t descr, size_t* size);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                       const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t algorithm,
                                       cusparseSpSMDescr_t descr, void* buffer);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                    const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t algorithm,
                                    cusparseSpSMDescr_t descr);
// The solution reads the matrix as it is then, so new values need no more than this.
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t descr, void* values,
                                           cusparseSpSVUpdate_t part);

// Conversions.
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t a,
                                                  cusparseDnMatDescr_t b, cusparseSparseToDenseAlg_t algorithm,
                                                  size_t* size);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                  cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                  size_t* size);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                                void* buffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t algorithm,
                                               void* buffer);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void* csr_values,
                                               const int* csr_offsets, const int* csr_columns, void* csc_values,
                                               int* csc_offsets, int* csc_rows, cudaDataType type,
                                               cusparseAction_t action, cusparseIndexBase_t base,
                                               cusparseCsr2CscAlg_t algorithm, size_t* size);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void* csr_values,
                                    const int* csr_offsets, const int* csr_columns, void* csc_values, int* csc_offsets,
                                    int* csc_rows, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t algorithm, void* buffer);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nnz, int m, int* offsets,
                                  cusparseIndexBase_t base);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nnz, int m, int* rows,
                                  cusparseIndexBase_t base);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int* offsets,
                                                const int* columns, size_t* size);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,
                                  const int* offsets, int* columns, int* p, void* buffer);

// Single and double precision: S and D.
cusparseStatus_t cusparseSnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t descr, const float* a, int lda, int* counts, int* total);
cusparseStatus_t cusparseScsrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                              float* values, const int* offsets, const int* columns,
                                              csrilu02Info_t info, int* size);
cusparseStatus_t cusparseScsrilu02_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                            const float* values, const int* offsets, const int* columns,
                                            csrilu02Info_t info, cusparseSolvePolicy_t policy, void* buffer);
cusparseStatus_t cusparseScsrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                   float* values, const int* offsets, const int* columns, csrilu02Info_t info,
                                   cusparseSolvePolicy_t policy, void* buffer);
cusparseStatus_t cusparseDnnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
                              const cusparseMatDescr_t descr, const double* a, int lda, int* counts, int* total);
cusparseStatus_t cusparseDcsrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                              double* values, const int* offsets, const int* columns,
                                              csrilu02Info_t info, int* size);
cusparseStatus_t cusparseDcsrilu02_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                            const double* values, const int* offsets, const int* columns,
                                            csrilu02Info_t info, cusparseSolvePolicy_t policy, void* buffer);
cusparseStatus_t cusparseDcsrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr,
                                   double* values, const int* offsets, const int* columns, csrilu02Info_t info,
                                   cusparseSolvePolicy_t policy, void* buffer);
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int* position);

#if defined(__cplusplus)
}
#endif

#endif  // DRYWARP_CUSPARSE_H
