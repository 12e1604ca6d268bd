// The driver API stands on the runtime API: the same session, handles and errors. CUresult has the runtime's numbers
// except where the runtime has codes of its own.
#pragma once

#include "cuda.h"
#include "cudart/launch_shape.h"
#include "cudart/runtime.h"

namespace drywarp::cudart {

[[nodiscard]] CUresult result(cudaError_t error);

inline void* device_pointer(CUdeviceptr address) { return pointer(address); }
inline cudaStream_t runtime_stream(CUstream stream) { return stream; }

// The one context: its address says that it is there.
[[nodiscard]] CUcontext only_context();

}  // namespace drywarp::cudart
