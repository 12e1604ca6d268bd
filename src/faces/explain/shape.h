// The shape of a launch, and which threads of a block form which warp: row-major, x fastest, cut into pieces of 32.
// Source: CUDA C++ Programming Guide, Thread Hierarchy and SIMT Architecture.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/access/access_pattern.h"
#include "base/support/result.h"

namespace drywarp::explain {

using Extent3 = std::array<uint32_t, 3>;  // x, y, z

struct Shape {
  Extent3 block{kWarpSize, 1, 1};
  Extent3 grid{1, 1, 1};

  [[nodiscard]] uint32_t threads() const { return block[0] * block[1] * block[2]; }  // of a block
  [[nodiscard]] uint32_t warps() const { return (threads() + kWarpSize - 1) / kWarpSize; }
  [[nodiscard]] uint64_t blocks() const { return uint64_t{grid[0]} * grid[1] * grid[2]; }
  // Lanes of a block's warp that have a thread.
  [[nodiscard]] LaneMask lanes_of(uint32_t warp) const;
};

// The place of the `linear`-th of `extent`.
[[nodiscard]] Extent3 place_in(const Extent3& extent, uint64_t linear);

// Errors: a side of 0, more than 1024 threads a block, a grid beyond CUDA's limits.
Status check(const Shape& shape);

// "16x16", "128", "4x4x8": sides of 1 at the end are left out.
[[nodiscard]] std::string to_string(const Extent3& extent);

}  // namespace drywarp::explain
