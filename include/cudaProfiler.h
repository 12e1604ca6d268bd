#ifndef DRYWARP_CUDA_PROFILER_H
#define DRYWARP_CUDA_PROFILER_H

#include "cuda.h"

#if defined(__cplusplus)
extern "C" {
#endif
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
#if defined(__cplusplus)
}
#endif

#endif
