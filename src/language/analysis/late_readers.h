// Stores to shared memory after a barrier and loads, with no barrier between: other warps may still have to read the
// old value. Such a program has a race. On a GPU, whose warps run side by side, the readers win in practice; here warps
// run one after the other, so the writer must wait for them.
#pragma once

#include <vector>

#include "language/analysis/control_flow.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

// By instruction: whether it overwrites what another warp may still read since the last barrier. On each path between
// barriers only the first such instruction is marked: one wait is enough.
std::vector<bool> overwrites_late_readers(const ir::Function& function, const ControlFlow& flow);

}  // namespace drywarp::analysis
