// The control-flow graph of a function: predecessors, order, and immediate post-dominators, where diverged lanes
// reconverge (Fung et al., "Dynamic Warp Formation", MICRO 2007).
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::analysis {

struct ControlFlow {
  std::vector<std::vector<ir::BlockId>> predecessors;
  std::vector<ir::BlockId> order;  // reverse post-order of the reachable blocks, entry first
  std::vector<bool> reachable;
  std::vector<ir::BlockId> reconvergence;  // immediate post-dominator of each block; kExit: only the function's end
  std::vector<bool> loop_header;           // some edge from a later or equal block in `order` leads here
};

ControlFlow control_flow(const ir::Function& function);

// The immediate dominator of each block; the entry is its own, and an unreachable block has none (kNone).
std::vector<ir::BlockId> immediate_dominators(const ir::Function& function, const ControlFlow& flow);

// The blocks that lanes can run between leaving `block` and reaching its reconvergence point, as a flag a block.
std::vector<bool> divergent_region(const ir::Function& function, const ControlFlow& flow, ir::BlockId block);

}  // namespace drywarp::analysis
