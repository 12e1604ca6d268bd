// How a block is cut into warps (course A3).
#pragma once

#include <vector>

#include "faces/explain/shape.h"

namespace drywarp::explain {

struct WarpThreads {
  uint32_t warp = 0;
  Extent3 first{}, last{};  // threadIdx of its first and last thread
  uint32_t threads = 0;     // fewer than 32: the rest of its lanes idles
};

struct WarpExplanation {
  Shape shape;
  std::vector<WarpThreads> warps;             // of a block
  [[nodiscard]] uint32_t idle_lanes() const;  // of a block
  [[nodiscard]] uint64_t warps_in_grid() const { return shape.blocks() * shape.warps(); }
};

Result<WarpExplanation> explain_warps(const Shape& shape);

}  // namespace drywarp::explain
