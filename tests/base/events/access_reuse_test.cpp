// How often recorded blocks touch the same bytes, and steps from lane to lane.
#include "base/events/access_reuse.h"

#include <gtest/gtest.h>

#include "base/events/lane_steps.h"

namespace drywarp {
namespace {

InstructionInfo load(uint32_t access, uint32_t line, const char* text, Memory memory = Memory::Global) {
  InstructionInfo i;
  i.access = access, i.line = line, i.file = 0, i.text = text, i.memory = memory, i.access_bytes = 4, i.load = true;
  return i;
}

// A warp whose 32 lanes touch these sectors of one line, by access.
void add(WarpTrace& warp, uint32_t access, uint64_t line, unsigned sectors) {
  TraceAccess a;
  a.access = access, a.first_line = uint32_t(warp.lines.size()), a.line_count = 1, a.lanes = 32;
  warp.accesses.push_back(a);
  warp.lines.push_back(TraceLine::of(line * kLineBytes, sectors));
}

TEST(AccessReuse, OfABlockAndOfTheGrid) {
  KernelInfo kernel;
  // Two unrolled copies of one load; another load of the same line; one of shared memory.
  kernel.instructions = {load(0, 7, "ld.global.f32 %f1, [%rd4];"), load(1, 7, "ld.global.f32 %f2, [%rd4+4];"),
                         load(2, 7, "ld.global.f32 %f3, [%rd5];"),
                         load(3, 7, "ld.shared.f32 %f4, [%r1];", Memory::Shared)};
  LaunchTrace trace;
  for (uint64_t block = 0; block < 2; ++block) {
    WarpTrace& warp = trace.blocks.emplace_back().warps.emplace_back();
    add(warp, 0, 100, 0b0001);
    add(warp, 1, 100, 0b0001);
    add(warp, 1, 100, 0b0010);
    add(warp, 2, 200 + block, 0b1111);
  }
  const std::vector<AccessReuse> reuse = reuse_of(trace, kernel);
  ASSERT_EQ(reuse.size(), 4u);
  const AccessReuse copies{.blocks = 2, .requested = 2 * 3 * 128, .block_bytes = 2 * 64, .grid_bytes = 64};
  EXPECT_EQ(reuse[0], copies);
  EXPECT_EQ(reuse[1], copies);
  EXPECT_EQ(reuse[2], (AccessReuse{.blocks = 2, .requested = 256, .block_bytes = 256, .grid_bytes = 256}));
  EXPECT_EQ(reuse[3], AccessReuse());
}

TEST(AccessReuse, IsKeptWithTheSample) {
  AccessSample sample;
  sample.size = 4, sample.lanes = ~0u;
  sample.reuse = {1, 2, 3, 4};
  const std::string line = to_line(sample);
  const auto back = parse_access_sample(line);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->reuse, sample.reuse);
  // Samples of older profiles end before it.
  const auto older = parse_access_sample(line.substr(0, line.size() - std::string_view(" 1 2 3 4").size()));
  ASSERT_TRUE(older.ok());
  EXPECT_EQ(older->reuse, AccessReuse());
  EXPECT_FALSE(parse_access_sample(line.substr(0, line.size() - 2)).ok());
}

TEST(LaneSteps, AndTheLeastLongerOne) {
  AccessSample sample;
  sample.memory = Memory::Shared, sample.size = 4, sample.lanes = ~0u;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) sample.addresses[lane] = lane * 128;
  EXPECT_EQ(lane_step(sample), 128);
  const auto longer = find_longer_step(sample);
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->elements, 1u);
  EXPECT_EQ(longer->wavefronts, 1u);
  sample.addresses[5] += 4;
  EXPECT_FALSE(lane_step(sample));
  EXPECT_FALSE(find_longer_step(sample));
  for (unsigned lane = 0; lane < kWarpSize; ++lane) sample.addresses[lane] = lane * 132;
  EXPECT_FALSE(find_longer_step(sample));  // no conflicts
}

}  // namespace
}  // namespace drywarp
