// A launch's grid and block, and the warps of a block: 32 consecutive threads each, numbered with x fastest.
// Source: CUDA C++ Programming Guide, Thread Hierarchy and SIMT Architecture.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/access/access_pattern.h"
#include "base/support/result.h"

namespace drywarp::explain {

using Extent3 = std::array<uint32_t, 3>;  // x, y, z

struct LaunchConfiguration {
  Extent3 block{kWarpSize, 1, 1};
  Extent3 grid{1, 1, 1};

  [[nodiscard]] uint32_t threads() const { return block[0] * block[1] * block[2]; }  // of a block
  [[nodiscard]] uint32_t warps() const { return (threads() + kWarpSize - 1) / kWarpSize; }
  [[nodiscard]] uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  // The lanes of a warp that have a thread.
  [[nodiscard]] LaneMask lanes_of(uint32_t warp) const;
};

// The coordinates of the `linear`-th element of `extent`.
[[nodiscard]] Extent3 place_in(const Extent3& extent, uint64_t linear);

// Errors: a dimension of 0, more than 1024 threads per block, a grid beyond CUDA's limits.
Status check(const LaunchConfiguration& launch);

// "16x16", "128", "4x4x8": trailing dimensions of 1 are omitted.
[[nodiscard]] std::string to_string(const Extent3& extent);

// How a block's threads form warps (course A3).
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
