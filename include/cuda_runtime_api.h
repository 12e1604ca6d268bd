// The CUDA runtime API for C and C++. The symbols and their ABI are those of libcudart.so.13. Calls of CUDA 12 and
// earlier compile through inline overloads (drywarp/api/overloads.h, C++ only) and through declarations of functions
// that CUDA 13 removed.
#ifndef DRYWARP_CUDA_RUNTIME_API_H
#define DRYWARP_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__

#include <stddef.h>

#define CUDART_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

#include "builtin_types.h"
#include "drywarp/api/arrays.h"
#include "drywarp/api/device.h"
#include "drywarp/api/external.h"
#include "drywarp/api/graphs.h"
#include "drywarp/api/launch.h"
#include "drywarp/api/library.h"
#include "drywarp/api/memory.h"
#include "drywarp/api/streams.h"

#if defined(__cplusplus)
#include "drywarp/api/overloads.h"
#endif

#endif
