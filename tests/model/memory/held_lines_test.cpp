// What the L2 holds between launches.
#include "model/memory/held_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/access/access_pattern.h"

namespace drywarp::memory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HeldLines held(uint64_t lines, uint32_t partitions = 1) {
  L2Parameters l2;
  l2.bytes = lines * kLineBytes, l2.partitions = partitions;
  return HeldLines(l2);
}

TEST(HeldLines, keepWhatLaunchesTouched) {
  HeldLines lines = held(1000);
  EXPECT_THAT(lines.find({5}), IsEmpty());
  lines.touch({5, 6, 40});
  EXPECT_THAT(lines.find({5, 6, 7, 40}), ElementsAre(5, 6, 40));
  lines.forget();
  EXPECT_THAT(lines.find({5, 6, 40}), IsEmpty());
}

TEST(HeldLines, loseTheLeastRecentlyUsedBlocks) {
  HeldLines lines = held(3);
  for (const uint64_t line : {0, 32, 64, 0, 96}) lines.touch({line});
  EXPECT_THAT(lines.find({0, 32, 64, 96}), ElementsAre(0, 64, 96));
}

TEST(HeldLines, haveACopyInEachPartition) {
  HeldLines lines = held(4, 2);
  lines.touch({0, 32, 64});
  EXPECT_THAT(lines.find({0, 32, 64}), ElementsAre(32, 64));
}

TEST(HeldLines, keepTheEndOfWhatACopyWrote) {
  HeldLines lines = held(64);
  lines.write(100, 2 * kLineBytes);
  EXPECT_THAT(lines.find({0, 1, 2, 3}), ElementsAre(0, 1, 2));
  lines.write(0, 1000 * kLineBytes);
  EXPECT_THAT(lines.find({0, 500, 990, 999, 1000}), ElementsAre(990, 999));
}

TEST(HeldLines, readWhatALaunchTouchesFromItsTrace) {
  LaunchTrace trace;
  trace.loads = {true};  // what comes behind the last load stores
  BlockTrace block{0, std::vector<WarpTrace>(1)};
  WarpTrace& warp = block.warps[0];
  warp.lines = {TraceLine::of(9 * kLineBytes, 15), TraceLine::of(2 * kLineBytes, 1), TraceLine::of(4 * kLineBytes, 1),
                TraceLine::of(70 * kLineBytes, 3)};
  const auto access = [&](uint32_t number, uint32_t first, uint16_t count, AddressSpace space) {
    TraceAccess a;
    a.access = number, a.first_line = first, a.line_count = count, a.space = space;
    warp.accesses.push_back(a);
  };
  access(0, 0, 2, AddressSpace::Global);
  access(1, 2, 1, AddressSpace::Global);
  access(0, 3, 1, AddressSpace::Local);     // of the warp's own
  access(~0u, 3, 1, AddressSpace::Global);  // a barrier has no access
  trace.blocks = {block};
  EXPECT_THAT(HeldLines::touched(trace), ElementsAre(2, 4, 9));
}

}  // namespace
}  // namespace drywarp::memory
