// cuFFT's second interface, without several GPUs, halves and callbacks.
#ifndef DRYWARP_CUFFTXT_H
#define DRYWARP_CUFFTXT_H
#define _CUFFTXT_H_

#include "cufft.h"

#if defined(__cplusplus)
extern "C" {
#endif

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType in, long long int* onembed,
                                long long int ostride, long long int odist, cudaDataType out, long long int batch,
                                size_t* size, cudaDataType computed);
cufftResult cufftXtExec(cufftHandle plan, void* in, void* out, int direction);

#if defined(__cplusplus)
}
#endif

#endif  // DRYWARP_CUFFTXT_H
