#ifndef DRYWARP_CUDA_PROFILER_API_H
#define DRYWARP_CUDA_PROFILER_API_H
#define __CUDA_PROFILER_API_H__

// cudaProfilerStart and cudaProfilerStop.
#include "cuda_runtime_api.h"

enum cudaOutputMode { cudaKeyValuePair = 0x00, cudaCSV = 0x01 };
typedef enum cudaOutputMode cudaOutputMode_t;

#endif
