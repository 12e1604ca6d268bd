#include "faces/explain/launch_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace drywarp::explain {
namespace {

// The limits of every compute capability since 3.0 (CUDA C++ Programming Guide, technical specifications); a device may
// have lower ones.
constexpr uint64_t kMaxThreads = 1024;
constexpr Extent3 kMaxBlock{1024, 1024, 64};
constexpr Extent3 kMaxGrid{2147483647, 65535, 65535};

}  // namespace

LaneMask LaunchConfiguration::lanes_of(uint32_t warp) const {
  const uint32_t left = threads() - std::min(threads(), warp * kWarpSize);
  return left >= kWarpSize ? ~0u : (1u << left) - 1;
}

Extent3 place_in(const Extent3& extent, uint64_t linear) {
  const uint64_t row = linear / extent[0];
  return {static_cast<uint32_t>(linear % extent[0]), static_cast<uint32_t>(row % extent[1]),
          static_cast<uint32_t>(row / extent[1])};
}

Status check(const LaunchConfiguration& launch) {
  uint64_t threads = 1;
  for (unsigned side = 0; side < 3; ++side) {
    const char axis = "xyz"[side];
    if (launch.block[side] == 0 || launch.grid[side] == 0)
      return error(fmt::format("the {} has no {}: every dimension is at least 1",
                               launch.block[side] == 0 ? "block" : "grid", axis));
    if (launch.block[side] > kMaxBlock[side])
      return error(fmt::format("a block of {} is too large: its {} is at most {}", to_string(launch.block), axis,
                               kMaxBlock[side]));
    if (launch.grid[side] > kMaxGrid[side])
      return error(
          fmt::format("a grid of {} is too large: its {} is at most {}", to_string(launch.grid), axis, kMaxGrid[side]));
    threads *= launch.block[side];
  }
  if (threads > kMaxThreads)
    return error(
        fmt::format("a block of {} has {} threads: at most {}", to_string(launch.block), threads, kMaxThreads));
  return {};
}

std::string to_string(const Extent3& extent) {
  std::string text = fmt::format("{}", extent[0]);
  if (extent[1] != 1 || extent[2] != 1) text += fmt::format("x{}", extent[1]);
  if (extent[2] != 1) text += fmt::format("x{}", extent[2]);
  return text;
}

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
