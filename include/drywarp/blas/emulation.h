// cuBLAS's emulated precisions of CUDA 13: kept and given back, without effect, for products are computed in full precision.
// Included by cublas_api.h.
#ifndef DRYWARP_BLAS_EMULATION_H
#define DRYWARP_BLAS_EMULATION_H

typedef enum {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
  CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2
} cublasEmulationStrategy_t;

#define DRYWARP_CUBLAS_SETTING(Name, T)                            \
  cublasStatus_t cublasSet##Name(cublasHandle_t handle, T value); \
  cublasStatus_t cublasGet##Name(cublasHandle_t handle, T* value);
DRYWARP_CUBLAS_SETTING(EmulationStrategy, cublasEmulationStrategy_t)
DRYWARP_CUBLAS_SETTING(EmulationSpecialValuesSupport, cudaEmulationSpecialValuesSupport)
DRYWARP_CUBLAS_SETTING(FixedPointEmulationMantissaControl, cudaEmulationMantissaControl)
DRYWARP_CUBLAS_SETTING(FixedPointEmulationMaxMantissaBitCount, int)
DRYWARP_CUBLAS_SETTING(FixedPointEmulationMantissaBitOffset, int)
#undef DRYWARP_CUBLAS_SETTING

#endif
