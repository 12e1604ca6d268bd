// What the runtime knows of a pointer.
#pragma once

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

// `bytes`: how much of the structure the program has room for.
Error pointer_attributes(Session& session, cudaPointerAttributes* out, const void* what, size_t bytes);
// InvalidValue unless `what` is managed memory and `count` is not 0.
Error managed_range(Session& session, const void* what, size_t count);

}  // namespace drywarp::cudart
