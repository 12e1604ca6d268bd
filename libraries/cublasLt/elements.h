// Elements of matrices whose type is known only when the kernel runs: what is written and added, not what is multiplied.
#pragma once

#include <cublasLt.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace drywarp::cublaslt {

template <class Sum>
__device__ Sum load(int type, const void* from, int64_t at) {
  switch (type) {
    case CUDA_R_16F: return Sum(__half2float(static_cast<const __half*>(from)[at]));
    case CUDA_R_16BF: return Sum(__bfloat162float(static_cast<const __nv_bfloat16*>(from)[at]));
    case CUDA_R_32F: return Sum(static_cast<const float*>(from)[at]);
    case CUDA_R_64F: return Sum(static_cast<const double*>(from)[at]);
    case CUDA_R_8I: return Sum(static_cast<const int8_t*>(from)[at]);
    case CUDA_R_32I: return Sum(static_cast<const int32_t*>(from)[at]);
    case CUDA_R_8F_E4M3: return Sum(float(static_cast<const __nv_fp8_e4m3*>(from)[at]));
    case CUDA_R_8F_E5M2: return Sum(float(static_cast<const __nv_fp8_e5m2*>(from)[at]));
  }
  return Sum(0);
}

// To int8: rounded and saturated, as NVIDIA's.
template <class Sum>
__device__ void store(int type, void* to, int64_t at, Sum value) {
  switch (type) {
    case CUDA_R_16F: static_cast<__half*>(to)[at] = __float2half(float(value)); break;
    case CUDA_R_16BF: static_cast<__nv_bfloat16*>(to)[at] = __float2bfloat16(float(value)); break;
    case CUDA_R_32F: static_cast<float*>(to)[at] = float(value); break;
    case CUDA_R_64F: static_cast<double*>(to)[at] = double(value); break;
    case CUDA_R_8I: static_cast<int8_t*>(to)[at] = int8_t(max(-128, min(127, __double2int_rn(double(value))))); break;
    case CUDA_R_32I: static_cast<int32_t*>(to)[at] = int32_t(value); break;
    case CUDA_R_8F_E4M3: static_cast<__nv_fp8_e4m3*>(to)[at] = __nv_fp8_e4m3(float(value)); break;
    case CUDA_R_8F_E5M2: static_cast<__nv_fp8_e5m2*>(to)[at] = __nv_fp8_e5m2(float(value)); break;
  }
}

inline int64_t bytes_of(int type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F:
    case CUDA_R_32I: return 4;
    case CUDA_R_64F: return 8;
  }
  return 0;  // not supported
}

// A matrix of each batch, by the strides between its elements, rows and columns. `data` is an array of pointers if
// `pointers`.
struct View {
  void* data;
  int type;
  int64_t bytes, row, column, batch;
  bool pointers;
  __device__ void* of(int64_t b) const {
    return pointers ? static_cast<void* const*>(data)[b] : static_cast<char*>(data) + b * batch * bytes;
  }
};

}  // namespace drywarp::cublaslt
