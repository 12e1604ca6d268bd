// What held_exits.cpp finds and held_block.cpp rewrites (hold_leaving_lanes, in passes.h).
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::analysis {

struct Edge {
  ir::BlockId from, to;
};

// A branch whose sides meet at `meets`, as long as they stay; `leaving`: edges on the way that leave, all to one block.
struct HeldExit {
  ir::BlockId branch, meets, clears;  // `clears`: where the flag is cleared
  std::vector<bool> between;          // by block: between the branch and where its sides meet
  std::vector<Edge> leaving;
  size_t size;  // how many blocks are between
};

// A copy of the function with a new block before `meets`, through which the edges that leave are led: lanes of both
// sides come there, and those with the flag go on to where the edges led.
[[nodiscard]] ir::Function with_held_block(const ir::Function& f, const HeldExit& exit);

}  // namespace drywarp::analysis
