// Finds the f32 registers that may hold a NaN produced by f32 arithmetic. They need Emitter::canonical_nan where their
// bits become visible (stores, moves to integer registers, atomics, arguments). A register whose values all come from
// memory, moves or constants keeps a NaN's payload, as on the GPU.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::jit {

// By register id. Linear in the function's size times the longest chain of moves.
[[nodiscard]] std::vector<bool> computed_floats(const ir::Function& function);

}  // namespace drywarp::jit
