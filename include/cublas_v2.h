// cuBLAS under the names that programs use: NVIDIA's second version of each function.
#ifndef DRYWARP_CUBLAS_V2_H
#define DRYWARP_CUBLAS_V2_H
#define CUBLAS_V2_H_

#include "cublas_api.h"

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasSscal cublasSscal_v2
#define cublasScopy cublasScopy_v2
#define cublasSswap cublasSswap_v2
#define cublasSrot cublasSrot_v2
#define cublasSdot cublasSdot_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasSasum cublasSasum_v2
#define cublasSgemv cublasSgemv_v2
#define cublasSger cublasSger_v2
#define cublasStrsv cublasStrsv_v2
#define cublasSgemm cublasSgemm_v2
#define cublasSsyrk cublasSsyrk_v2
#define cublasStrsm cublasStrsm_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasDscal cublasDscal_v2
#define cublasDcopy cublasDcopy_v2
#define cublasDswap cublasDswap_v2
#define cublasDrot cublasDrot_v2
#define cublasDdot cublasDdot_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasDasum cublasDasum_v2
#define cublasDgemv cublasDgemv_v2
#define cublasDger cublasDger_v2
#define cublasDtrsv cublasDtrsv_v2
#define cublasDgemm cublasDgemm_v2
#define cublasDsyrk cublasDsyrk_v2
#define cublasDtrsm cublasDtrsm_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasSaxpy_64 cublasSaxpy_v2_64
#define cublasSscal_64 cublasSscal_v2_64
#define cublasScopy_64 cublasScopy_v2_64
#define cublasSswap_64 cublasSswap_v2_64
#define cublasSrot_64 cublasSrot_v2_64
#define cublasSdot_64 cublasSdot_v2_64
#define cublasSnrm2_64 cublasSnrm2_v2_64
#define cublasSasum_64 cublasSasum_v2_64
#define cublasSgemv_64 cublasSgemv_v2_64
#define cublasSger_64 cublasSger_v2_64
#define cublasStrsv_64 cublasStrsv_v2_64
#define cublasSgemm_64 cublasSgemm_v2_64
#define cublasSsyrk_64 cublasSsyrk_v2_64
#define cublasStrsm_64 cublasStrsm_v2_64
#define cublasIsamax_64 cublasIsamax_v2_64
#define cublasIsamin_64 cublasIsamin_v2_64
#define cublasDaxpy_64 cublasDaxpy_v2_64
#define cublasDscal_64 cublasDscal_v2_64
#define cublasDcopy_64 cublasDcopy_v2_64
#define cublasDswap_64 cublasDswap_v2_64
#define cublasDrot_64 cublasDrot_v2_64
#define cublasDdot_64 cublasDdot_v2_64
#define cublasDnrm2_64 cublasDnrm2_v2_64
#define cublasDasum_64 cublasDasum_v2_64
#define cublasDgemv_64 cublasDgemv_v2_64
#define cublasDger_64 cublasDger_v2_64
#define cublasDtrsv_64 cublasDtrsv_v2_64
#define cublasDgemm_64 cublasDgemm_v2_64
#define cublasDsyrk_64 cublasDsyrk_v2_64
#define cublasDtrsm_64 cublasDtrsm_v2_64
#define cublasIdamax_64 cublasIdamax_v2_64
#define cublasIdamin_64 cublasIdamin_v2_64

#endif
