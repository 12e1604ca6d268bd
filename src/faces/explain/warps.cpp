#include "faces/explain/warps.h"

#include <bit>

namespace drywarp::explain {

uint32_t WarpExplanation::idle_lanes() const { return launch.warps() * kWarpSize - launch.threads(); }

Result<WarpExplanation> explain_warps(const LaunchConfiguration& launch) {
  if (Status status = check(launch); !status) return status.problem();
  WarpExplanation out{launch, {}};
  for (uint32_t warp = 0; warp < launch.warps(); ++warp) {
    const auto threads = static_cast<uint32_t>(std::popcount(launch.lanes_of(warp)));
    const uint32_t first = warp * kWarpSize;
    out.warps.push_back({warp, place_in(launch.block, first), place_in(launch.block, first + threads - 1), threads});
  }
  return out;
}

}  // namespace drywarp::explain
