// Which f32 registers may hold a NaN that f32 arithmetic made, and so need Emitter::canonical_nan where their bits
// leave the arithmetic (stores, moves to integer registers, atomics, arguments). A register that only ever got its
// value from memory, a move of bits or a constant keeps a NaN's payload, as on the GPU.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::jit {

// By register id. Linear in the function's size times the longest chain of moves.
[[nodiscard]] std::vector<bool> computed_floats(const ir::Function& function);

}  // namespace drywarp::jit
