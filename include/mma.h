// Warp matrix functions: nvcuda::wmma, by PTX's wmma instructions.
#ifndef DRYWARP_MMA_H
#define DRYWARP_MMA_H
#pragma GCC system_header
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#if defined(__cplusplus)
#include "drywarp/matrix/fragments.h"
#include "drywarp/matrix/load_store.h"
#include "drywarp/matrix/multiply.h"
#endif
#endif
