#include "faces/explain/shape.h"

#include <fmt/format.h>

#include <algorithm>

namespace drywarp::explain {
namespace {

// The limits of every compute capability since 3.0 (CUDA C++ Programming Guide, technical specifications); a device's
// own may be tighter.
constexpr uint64_t kMaxThreads = 1024;
constexpr Extent3 kMaxBlock{1024, 1024, 64};
constexpr Extent3 kMaxGrid{2147483647, 65535, 65535};

}  // namespace

LaneMask Shape::lanes_of(uint32_t warp) const {
  const uint32_t left = threads() - std::min(threads(), warp * kWarpSize);
  return left >= kWarpSize ? ~0u : (1u << left) - 1;
}

Extent3 place_in(const Extent3& extent, uint64_t linear) {
  const uint64_t row = linear / extent[0];
  return {static_cast<uint32_t>(linear % extent[0]), static_cast<uint32_t>(row % extent[1]),
          static_cast<uint32_t>(row / extent[1])};
}

Status check(const Shape& shape) {
  uint64_t threads = 1;
  for (unsigned side = 0; side < 3; ++side) {
    const char axis = "xyz"[side];
    if (shape.block[side] == 0 || shape.grid[side] == 0)
      return error(
          fmt::format("the {} has no {}: every side is at least 1", shape.block[side] == 0 ? "block" : "grid", axis));
    if (shape.block[side] > kMaxBlock[side])
      return error(fmt::format("a block of {} is too large: its {} is at most {}", to_string(shape.block), axis,
                               kMaxBlock[side]));
    if (shape.grid[side] > kMaxGrid[side])
      return error(
          fmt::format("a grid of {} is too large: its {} is at most {}", to_string(shape.grid), axis, kMaxGrid[side]));
    threads *= shape.block[side];
  }
  if (threads > kMaxThreads)
    return error(
        fmt::format("a block of {} has {} threads: {} are the most", to_string(shape.block), threads, kMaxThreads));
  return {};
}

std::string to_string(const Extent3& extent) {
  std::string text = fmt::format("{}", extent[0]);
  if (extent[1] != 1 || extent[2] != 1) text += fmt::format("x{}", extent[1]);
  if (extent[2] != 1) text += fmt::format("x{}", extent[2]);
  return text;
}

}  // namespace drywarp::explain
