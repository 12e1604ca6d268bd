// Pointer queries.
#pragma once

#include "cuda/c_abi/runtime.h"

namespace drywarp::cudart {

// `bytes`: size of the program's version of the structure.
Error pointer_attributes(Session& session, cudaPointerAttributes* out, const void* what, size_t bytes);
// InvalidValue unless `what` is managed memory and `count` is not 0.
Error managed_range(Session& session, const void* what, size_t count);

}  // namespace drywarp::cudart
