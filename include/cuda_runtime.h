// The CUDA runtime for C++: the API with its typed overloads and, in a CUDA compilation, the device library.
#ifndef DRYWARP_CUDA_RUNTIME_H
#define DRYWARP_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__

#include "crt/host_defines.h"

#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include <utility>  // also std::initializer_list: NVIDIA's header includes them, and programs rely on it

#include "drywarp/api/channel_descriptor.h"
#include "drywarp/api/device_runtime.h"
#include "drywarp/api/templates.h"
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "drywarp/device/device_library.h"
#include "drywarp/managed.h"
#endif

#endif
