// Stores into shared memory that come behind a barrier and loads, with no barrier between: other warps may still have
// to read what stood there. A program that needs more than luck there has a race, but on a GPU, whose warps go on side
// by side, the readers are always first; warps that run one after the other must wait for them.
#pragma once

#include <vector>

#include "language/analysis/control_flow.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

// By instruction: whether another warp may read, since the last barrier, what it overwrites. Of the instructions of a
// way from barrier to barrier only the first are named: whoever let the others read there need not do so again.
std::vector<bool> overwrites_late_readers(const ir::Function& function, const ControlFlow& flow);

}  // namespace drywarp::analysis
