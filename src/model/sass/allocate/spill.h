// Takes values out of registers when there are too few: into local memory, or computed again where they are read.
#pragma once

#include <vector>

#include "model/sass/allocate/allocate.h"
#include "model/sass/code/code.h"
#include "model/sass/code/live.h"

namespace drywarp::sass {

struct Spills {
  uint32_t store_bytes = 0, load_bytes = 0;  // a thread, over all spilling instructions that are laid out, each once
  uint32_t frame_bytes = 0;                  // of local memory a thread
};

// Rewrites `regions` until allocate() needs no more than `most` general registers, or nothing helps any more. What is
// read and written least, loops counted, goes first (Chaitin's cost over the places where registers run out). Registers
// that went to memory leave `live`. The allocation of the result is left in `allocation`, which must be that of what
// comes in.
Spills spill(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
             Allocation& allocation);

// The same with what can be computed again alone: constants, parameters, and what is a few steps from registers that
// live anyway. Nothing goes to memory.
void compute_again(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
                   Allocation& allocation);

}  // namespace drywarp::sass
