// Device attributes by CUDA's numbers (cudaDeviceAttr; CUdevice_attribute's are the same).
#pragma once

namespace drywarp::cuda {

enum class Attribute : int {
#define DW_ATTRIBUTE(number, name) name = number,
#include "base/device/cuda_attributes.def"
#undef DW_ATTRIBUTE
};

}  // namespace drywarp::cuda
