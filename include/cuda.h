// The CUDA driver API.
#ifndef DRYWARP_CUDA_H
#define DRYWARP_CUDA_H
#define __cuda_cuda_h__

#define CUDA_VERSION 12080
#define CUDAAPI

#include "drywarp/driver/code.h"
#include "drywarp/driver/device.h"
#include "drywarp/driver/graphs.h"
#include "drywarp/driver/interprocess.h"
#include "drywarp/driver/memory.h"
#include "drywarp/driver/streams.h"
#include "drywarp/driver/tensors.h"
#include "drywarp/driver/textures.h"

#endif
