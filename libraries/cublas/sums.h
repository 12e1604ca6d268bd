// The types in which products are summed.
#pragma once

#include <cublas_api.h>

namespace drywarp::cublas {

enum class Sums { Half, Float, Double, Int };

// False: there is no such computation.
inline bool sums_of(cublasComputeType_t compute, Sums& out) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return out = Sums::Half, true;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
      return out = Sums::Float, true;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
      return out = Sums::Double, true;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return out = Sums::Int, true;
  }
  return false;
}

}  // namespace drywarp::cublas
