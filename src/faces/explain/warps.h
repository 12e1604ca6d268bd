// How a block's threads form warps (course A3).
#pragma once

#include <vector>

#include "faces/explain/shape.h"

namespace drywarp::explain {

struct WarpThreads {
  uint32_t warp = 0;
  Extent3 first{}, last{};  // threadIdx of its first and last thread
  uint32_t threads = 0;     // fewer than 32: the other lanes are idle
};

struct WarpExplanation {
  LaunchConfiguration launch;
  std::vector<WarpThreads> warps;             // of a block
  [[nodiscard]] uint32_t idle_lanes() const;  // of a block
  [[nodiscard]] uint64_t warps_in_grid() const { return launch.blocks() * launch.warps(); }
};

Result<WarpExplanation> explain_warps(const LaunchConfiguration& launch);

}  // namespace drywarp::explain
