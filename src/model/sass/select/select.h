// PTX instructions to machine operations on virtual registers, one at a time: what each costs on its own. What ptxas
// makes of several together (multiply-adds, addresses, three-input logic) is optimize's work.
//
// Sequences (division, square root, transcendental functions with range scaling) follow what `ptxas -O3` of CUDA 13 and
// nvdisasm show for sm_90; where a sequence has a rare slow path behind a branch, the code is that of the common path.
#pragma once

#include "model/sass/code/code.h"

namespace drywarp::sass {

// `instruction_count` registers of the function come first in Kernel::registers.
Kernel select(const ir::Module& module, const ir::Function& function, uint32_t compute_capability);

}  // namespace drywarp::sass
