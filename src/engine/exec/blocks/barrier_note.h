// A barrier of the whole block that not every thread reached. Hardware lets the waiting ones pass once the others have
// ended; CUDA leaves it undefined or, since compute capability 7.0, counts ended threads as arrived.
#pragma once

#include <cstdint>
#include <string>

#include "base/support/result.h"
#include "engine/exec/blocks/fault.h"

namespace drywarp::exec {

struct BarrierNote {
  enum class Kind : uint8_t {
    DivergentWarp,   // lanes of one warp waited; the others of that warp ran on without the barrier, and ended
    SkippedByWarps,  // whole warps ran on without it, and ended
    ThreadsEnded,    // threads ended before it, in the first block of the grid too: no guard for the end of an array
  } kind{};
  std::string kernel;       // demangled
  SourceLocation location;  // of the barrier
  Dim3 block{0, 0, 0};      // the first one in which it happened
  uint32_t warp = 0;        // DivergentWarp: its number in the block
  // Lanes of that warp (DivergentWarp), warps of the block (SkippedByWarps), threads of the block (ThreadsEnded).
  uint32_t waited = 0, absent = 0;
};

}  // namespace drywarp::exec
