// Statuses of cuBLAS and of cuBLASLt: their names and texts, and how functions return them.
#pragma once

#include <cublas_api.h>
#include <cuda_runtime.h>

namespace drywarp::cublas {

struct Status {
  cublasStatus_t status;
  const char *name, *text;
};
inline constexpr Status kStatuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was passed"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "an absent device architectural feature is required"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "the requested functionality requires a license"}};
inline const Status* find_status(cublasStatus_t status) {
  for (const Status& known : kStatuses)
    if (known.status == status) return &known;
  return nullptr;
}

inline const char* name_of(cublasStatus_t status) {
  const Status* known = find_status(status);
  return known ? known->name : "CUBLAS_STATUS_UNKNOWN";
}
inline const char* text_of(cublasStatus_t status) {
  const Status* known = find_status(status);
  return known ? known->text : "unknown error code";
}

inline cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess                 ? CUBLAS_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CUBLAS_STATUS_ALLOC_FAILED
                                              : CUBLAS_STATUS_EXECUTION_FAILED;
}

// What every function checks first.
#define CUBLAS_NEEDS(condition) \
  if (!(condition)) return CUBLAS_STATUS_INVALID_VALUE
#define CUBLAS_TRY(call) \
  if (const cublasStatus_t status = (call)) return status

}  // namespace drywarp::cublas
