// Splits blocks so that every instruction at which lanes of a warp or warps of a block wait for each other starts a
// block of its own: there, a diverged warp can be handed to another scheduler, and lane groups can wait.
#pragma once

#include "ir/kernel.h"

namespace drywarp::analysis {

// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, bar.warp.sync: lanes of the mask wait for each other.
[[nodiscard]] bool waits_for_lanes(const ir::Instruction& in);
// bar, barrier: warps of the block wait for each other.
[[nodiscard]] bool waits_for_warps(const ir::Instruction& in);

[[nodiscard]] ir::Function split_at_waits(ir::Function function);

}  // namespace drywarp::analysis
