#include "profile/advice/lane_pattern.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace drywarp::advice {
namespace {

// Bytes between neighbours along threadIdx.x, if constant; nothing if no two active lanes are neighbours.
struct Steps {
  std::optional<int64_t> x;
  bool constant = true;
};

Steps steps_along_x(const AccessSample& s, uint32_t row) {
  Steps steps;
  for (unsigned lane = 1; lane < kWarpSize; ++lane) {
    if ((s.lanes >> lane & 1) == 0) continue;
    // The nearest active lane before it in the same row of the block.
    unsigned before = lane;
    while (before > 0 && (uint64_t{s.warp} * kWarpSize + before) % row != 0) {
      --before;
      if ((s.lanes >> before & 1) != 0) break;
    }
    if (before == lane || (s.lanes >> before & 1) == 0) continue;
    const auto distance = static_cast<int64_t>(s.addresses[lane] - s.addresses[before]);
    const auto lanes = static_cast<int64_t>(lane - before);
    if (distance % lanes != 0 || (steps.x && *steps.x != distance / lanes)) return {std::nullopt, false};
    steps.x = distance / lanes;
  }
  return steps;
}

}  // namespace

LaneLayout lane_layout(const AccessSample* sample, const record::Extent& block) {
  if (!sample || sample->lanes == 0) return {};
  const uint32_t row = std::max(block.x, 1u);
  const auto [x, constant] = steps_along_x(*sample, row);
  if (!constant) return {LanePattern::Scattered, 0};
  if (!x) return {};
  if (*x == 0) return {LanePattern::Broadcast, 0};
  if (std::abs(*x) >= kLineBytes) return {LanePattern::Rows, *x};
  if (std::abs(*x) > sample->size) return {LanePattern::Strided, *x};
  if (uint64_t{row} * sample->size < kSectorBytes) return {LanePattern::NarrowRows, *x};
  // Where the row of threads begins, whether or not its first lanes take part.
  const auto first = static_cast<unsigned>(std::countr_zero(sample->lanes));
  const auto before =
      static_cast<int64_t>(std::min<uint64_t>(first, (uint64_t{sample->warp} * kWarpSize + first) % row));
  const uint64_t begin = sample->addresses[first] - static_cast<uint64_t>(before * *x);
  const uint64_t lowest = *x > 0 ? begin : begin + sample->size;
  return {lowest % kSectorBytes == 0 ? LanePattern::Contiguous : LanePattern::Misaligned, *x};
}

}  // namespace drywarp::advice
