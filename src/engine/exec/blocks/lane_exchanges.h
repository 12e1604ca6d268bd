// Exchanges between lanes of one warp that run in several groups: which of them match, and how they run together.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// The code that runs the lanes of a group one block at a time. It is compiled on the scheduler's stack: the compiler
// needs more than a fiber has.
[[nodiscard]] jit::GroupFunction group_form(Warp& warp, LoadedKernel& code);

// Groups at exchanges.
[[nodiscard]] bool same_place(const LaneGroup& a, const LaneGroup& b);
[[nodiscard]] bool same_kind(const LaneGroup& a, const LaneGroup& b);

// Runs the exchange of `first` with all groups of the warp that have its number.
void run_exchange(Warp& warp, const LaneGroup& first);

}  // namespace drywarp::exec
