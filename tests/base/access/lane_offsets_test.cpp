#include "base/access/lane_offsets.h"

#include <gtest/gtest.h>

#include <utility>

namespace drywarp {
namespace {

TEST(LaneOffsets, AreOfTheActiveLanes) {
  uint64_t addresses[kWarpSize], offsets[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) addresses[lane] = 1000 + lane * 260;
  EXPECT_EQ(lane_offsets(addresses, 0x80000001, 1000, 256, 100, offsets), 0x80000000u);
  EXPECT_EQ(offsets[0], 0u);
  EXPECT_EQ(offsets[1], 0u);
  EXPECT_EQ(offsets[31], 124u);
  EXPECT_EQ(lane_offsets(addresses, 2, 2000, 0, 100, offsets), 2u);  // before the base
}

TEST(LaneOffsets, DistancesInMemoriesOfTheLanesOwn) {
  constexpr uint64_t kBase = 0x1000, kStride = 48, kRoom = 28;
  alignas(64) uint64_t addresses[kWarpSize], starts[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    starts[lane] = lane * kStride;
    addresses[lane] = kBase + starts[lane] + 4 * (lane % 8);
  }
  LaneDistances d;
  measure_own_lanes(addresses, ~0u, starts, kBase, kRoom, 3, &d);
  EXPECT_TRUE(d.inside);
  EXPECT_EQ(d.first, kBase);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) EXPECT_EQ(d.from_first[lane], 4 * (lane % 8));
  // In another lane's memory, and not aligned.
  for (const uint64_t wrong : {addresses[5] + kStride, addresses[5] - kStride, addresses[5] + 1}) {
    const uint64_t right = std::exchange(addresses[5], wrong);
    measure_own_lanes(addresses, ~0u, starts, kBase, kRoom, 3, &d);
    EXPECT_FALSE(d.inside);
    measure_own_lanes(addresses, ~(1u << 5), starts, kBase, kRoom, 3, &d);
    EXPECT_TRUE(d.inside);
    addresses[5] = right;
  }
}

TEST(LaneOffsets, SpanFromTheFirstToTheLast) {
  uint64_t offsets[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) offsets[lane] = 64 + lane * 4;
  const LaneSpan all = lane_span(offsets, ~0u, 4);
  EXPECT_EQ(all.first, 64u);
  EXPECT_EQ(all.last, 188u);
  EXPECT_TRUE(all.side_by_side);
  EXPECT_FALSE(lane_span(offsets, ~0u, 8).side_by_side);
  const LaneSpan some = lane_span(offsets, 0x30, 4);
  EXPECT_EQ(some.first, 80u);
  EXPECT_EQ(some.last, 84u);
  EXPECT_FALSE(some.side_by_side);
}

TEST(LaneOffsets, StepsFromLaneToLane) {
  uint64_t addresses[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) addresses[lane] = 4096 + lane / 8 * 4;
  addresses[31] = 4000;
  const LaneSteps all = lane_steps(addresses, ~0u, 4);
  EXPECT_EQ(all.follows, 0x00808080u);
  EXPECT_EQ(all.same, 0x3f7f7f7fu);
  const LaneSteps some = lane_steps(addresses, 0x180, 4);
  EXPECT_EQ(some.follows, 0x80u);
  EXPECT_EQ(some.same, 0u);
  EXPECT_EQ(lane_steps(addresses, 0x80000000, 4).same, 0u);  // no lane follows the last one
}

TEST(LaneOffsets, LanesElsewhere) {
  uint64_t addresses[kWarpSize], apart[kWarpSize];
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) apart[lane] = lane * 96, addresses[lane] = 5000 + apart[lane];
  EXPECT_EQ(lanes_elsewhere(addresses, ~0u, 5000, apart), 0u);
  addresses[3] -= uint64_t{1} << 40, addresses[31] += 1;
  EXPECT_EQ(lanes_elsewhere(addresses, ~0u, 5000, apart), 0x80000008u);
  EXPECT_EQ(lanes_elsewhere(addresses, 0xffff, 5000, apart), 8u);
  EXPECT_EQ(lanes_elsewhere(addresses, 0x10, 4999, apart), 0x10u);
}

}  // namespace
}  // namespace drywarp
