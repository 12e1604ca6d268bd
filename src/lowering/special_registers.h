// Special registers: which are read once, and which come in uniform registers.
#pragma once

#include "lowering/code.h"

namespace drywarp::lowering {

// %tid and the like do not change: what the entry block reads is not read again.
void share_special_registers(Kernel& kernel);

// An instruction has one place for a uniform register, and blockIdx.x * blockDim.x has two values for it: ptxas gives
// it to the one that the program reads first (84 of 84 kernels whose SASS was looked at, sm_90). Where that is the
// block's number, S2UR reads it and the block's size is loaded; else the size comes by ULDC, and S2R reads the number.
void place_block_numbers(Kernel& kernel);

}  // namespace drywarp::lowering
