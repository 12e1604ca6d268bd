// Splits blocks so that every instruction at which lanes of a warp or warps of a block wait for each other starts a
// block of its own: there, a diverged warp can be handed to the lane-group scheduler, and lane groups can wait. A call
// ends its block: lanes return from it one group at a time.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::analysis {

// shfl.sync, vote.sync, match.sync, redux.sync, elect.sync, bar.warp.sync: lanes of the mask wait for each other.
[[nodiscard]] bool waits_for_lanes(const ir::Instruction& in);
// bar, barrier: warps of the block wait for each other.
[[nodiscard]] bool waits_for_warps(const ir::Instruction& in);

// A call that is really made: neither inlined nor answered by the engine itself (mathematics, printf ...).
[[nodiscard]] bool really_calls(const ir::Module& module, const ir::Instruction& in);

// In a really called function an exchange is a block of its own, so that lanes in different calls can exchange.
[[nodiscard]] ir::Function split_at_waits(const ir::Module& module, ir::Function function);

}  // namespace drywarp::analysis
