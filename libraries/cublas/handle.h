// A handle of cuBLAS, and how its functions launch kernels.
#pragma once

#include <cublas_v2.h>

#include <cstdint>
#include <type_traits>

#include "statuses.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  int sm_target = 0;
  // Without effect.
  cublasEmulationStrategy_t emulation = CUBLAS_EMULATION_STRATEGY_DEFAULT;
  cudaEmulationSpecialValuesSupport special_values = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_DEFAULT;
  cudaEmulationMantissaControl mantissa = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  int most_mantissa_bits = 0, mantissa_offset = 0;
  void* partials = nullptr;  // device memory for the blocks' results of a reduction, and for the result
};

namespace drywarp::cublas {

inline constexpr int kMostPartials = 256;    // blocks of a reduction
inline constexpr size_t kPartialBytes = 16;  // the largest partial result
inline constexpr size_t kPartials = (kMostPartials + 1) * kPartialBytes;

// A scalar that the caller keeps on the host or on the device.
template <class T>
struct Scalar {
  T value;
  const T* device;  // if not null, instead of `value`
  __device__ T get() const { return device ? *device : value; }
};
template <class T>
Scalar<T> scalar(cublasHandle_t handle, const T* at) {
  return handle->pointers == CUBLAS_POINTER_MODE_HOST ? Scalar<T>{*at, nullptr} : Scalar<T>{T(), at};
}

// The place of element i of n in a vector: a negative stride runs from its end.
__host__ __device__ inline int64_t place(int64_t i, int64_t n, int64_t stride) {
  return stride >= 0 ? i * stride : (i - (n - 1)) * stride;
}

inline bool known(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

// Without <<<>>>, whose errors would be the program's last error.
template <class... Parameters>
cublasStatus_t launch(cublasHandle_t handle, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                      std::type_identity_t<Parameters>... arguments) {
  void* pointers[] = {&arguments...};
  return status_of(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers, 0, handle->stream));
}

inline unsigned blocks_for(int64_t n, int64_t per_block, int64_t most) {
  const int64_t blocks = (n + per_block - 1) / per_block;
  return unsigned(blocks < most ? blocks : most);
}

}  // namespace drywarp::cublas
