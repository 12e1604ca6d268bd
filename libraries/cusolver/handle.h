// A handle of cuSOLVER's dense part, its parameters' objects, and how its functions launch kernels.
#pragma once

#include <cusolverDn.h>

#include <cstdint>
#include <new>
#include <type_traits>

#include "../dense/numbers.h"

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
  cusolverDeterministicMode_t deterministic = CUSOLVER_DETERMINISTIC_RESULTS;
};
struct cusolverDnParams {};

namespace drywarp::cusolver {

inline cusolverStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess                 ? CUSOLVER_STATUS_SUCCESS
         : error == cudaErrorMemoryAllocation ? CUSOLVER_STATUS_ALLOC_FAILED
                                              : CUSOLVER_STATUS_EXECUTION_FAILED;
}

// What every function checks first.
#define CUSOLVER_NEEDS(condition) \
  if (!(condition)) return CUSOLVER_STATUS_INVALID_VALUE
#define CUSOLVER_NEEDS_HANDLE(handle) \
  if (!(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED
#define CUSOLVER_TRY(call) \
  if (const cusolverStatus_t status = (call); status != CUSOLVER_STATUS_SUCCESS) return status

inline constexpr int kThreads = 256, kWarps = kThreads / 32;
inline constexpr int64_t kPanel = 32;  // columns that one block factors before the others are updated
inline constexpr int64_t kMostBlocks = 65535;

inline unsigned blocks_for(int64_t n, int64_t per_block = 1) {
  const int64_t blocks = (n + per_block - 1) / per_block;
  return unsigned(blocks < 1 ? 1 : blocks < kMostBlocks ? blocks : kMostBlocks);
}
inline bool covers(int64_t ld, int64_t rows) { return ld >= (rows > 1 ? rows : 1); }
inline bool known(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER; }
inline bool known(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }
inline bool known(cusolverEigMode_t mode) {
  return mode == CUSOLVER_EIG_MODE_NOVECTOR || mode == CUSOLVER_EIG_MODE_VECTOR;
}

// Without <<<>>>, whose errors would be the program's last error.
template <class... Parameters>
cusolverStatus_t launch(cusolverDnHandle_t handle, void (*kernel)(Parameters...), dim3 grid,
                        std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  return status_of(
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, kThreads, pointers, 0, handle->stream));
}

// `info` lies on the device, and is 0 if nothing goes wrong.
inline cusolverStatus_t clear(cusolverDnHandle_t handle, int* info, int64_t count = 1) {
  return status_of(cudaMemsetAsync(info, 0, sizeof(int) * size_t(count), handle->stream));
}

template <class Object>
cusolverStatus_t make(Object** out) {
  CUSOLVER_NEEDS(out);
  *out = new (std::nothrow) Object;
  return *out ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

// How much memory a function needs, in numbers of its type or in bytes.
template <class Int>
cusolverStatus_t give_size(cusolverDnHandle_t handle, bool possible, int64_t size, Int* out) {
  CUSOLVER_NEEDS_HANDLE(handle);
  CUSOLVER_NEEDS(possible && out);
  *out = Int(size > 1 ? size : 1);
  return CUSOLVER_STATUS_SUCCESS;
}

// Calls `work` with a number of the type.
template <class Work>
cusolverStatus_t with_type(cudaDataType type, Work work) {
  switch (type) {
    case CUDA_R_32F:
      return work(float());
    case CUDA_R_64F:
      return work(double());
    case CUDA_C_32F:
      return work(dense::Complex<float>());
    case CUDA_C_64F:
      return work(dense::Complex<double>());
    default:
      return CUSOLVER_STATUS_NOT_SUPPORTED;
  }
}

}  // namespace drywarp::cusolver
