// Types of the CUDA runtime API. The sizes and numbers are CUDA 12's.
#ifndef DRYWARP_DRIVER_TYPES_H
#define DRYWARP_DRIVER_TYPES_H

#include "crt/host_defines.h"
#include "drywarp/array_types.h"
#include "drywarp/device_properties.h"
#include "drywarp/device_types.h"
#include "drywarp/error_types.h"
#include "drywarp/graph_types.h"
#include "drywarp/graphics_types.h"
#include "drywarp/handle_types.h"
#include "drywarp/memory_types.h"
#include "drywarp/stream_types.h"
#include "vector_types.h"

// NVIDIA's include guard: other libraries test it.
#define __DRIVER_TYPES_H__

#endif
