#include "faces/explain/warps.h"

#include <bit>

namespace drywarp::explain {

uint32_t WarpExplanation::idle_lanes() const { return shape.warps() * kWarpSize - shape.threads(); }

Result<WarpExplanation> explain_warps(const Shape& shape) {
  if (Status status = check(shape); !status) return status.problem();
  WarpExplanation out{shape, {}};
  for (uint32_t warp = 0; warp < shape.warps(); ++warp) {
    const auto threads = static_cast<uint32_t>(std::popcount(shape.lanes_of(warp)));
    const uint32_t first = warp * kWarpSize;
    out.warps.push_back({warp, place_in(shape.block, first), place_in(shape.block, first + threads - 1), threads});
  }
  return out;
}

}  // namespace drywarp::explain
