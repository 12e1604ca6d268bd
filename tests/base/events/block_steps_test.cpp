// The block of a launch whose steps are drawn, and how much of it is kept.
#include "base/events/block_steps.h"

#include <gtest/gtest.h>

namespace drywarp {
namespace {

WarpTrace warp(std::vector<WarpStep> steps) {
  WarpTrace trace;
  trace.steps.assign(steps.begin(), steps.end());
  return trace;
}

void arrive(WarpTrace& warp, uint32_t step, uint16_t barrier) {
  TraceAccess access;
  access.step = step, access.space = AddressSpace::None, access.units = barrier;
  warp.accesses.push_back(access);
}

TEST(BlockSteps, theMostDivergentBlockIsDrawn) {
  const WarpTrace whole = warp({{0, ~0u, 1}, {1, ~0u, 9}}),
                  split = warp({{0, ~0u, 1}, {1, 0xffff, 4}, {2, ~0xffffu, 4}});
  const WarpTrace partial = warp({{0, 0xff, 1}, {1, 0xff, 9}});  // eight threads, all together
  LaunchTrace trace;
  EXPECT_TRUE(steps_to_draw(trace).warps.empty());
  trace.blocks = {{0, {whole}}, {1, {partial}}};
  EXPECT_EQ(steps_to_draw(trace).block, 0);
  trace.blocks.push_back({2, {whole, split}});
  trace.blocks.push_back({3, {whole, split}});
  const BlockSteps drawn = steps_to_draw(trace);
  EXPECT_EQ(drawn.block, 2);
  ASSERT_EQ(drawn.warps.size(), 2);
  EXPECT_EQ(drawn.warps[1].steps, (std::vector<WarpStep>{{0, ~0u, 1}, {1, 0xffff, 4}, {2, ~0xffffu, 4}}));
  EXPECT_FALSE(drawn.warps[0].cut || drawn.warps[1].cut);
}

TEST(BlockSteps, barriersAreMarkedAtTheirSteps) {
  WarpTrace w = warp({{0, ~0u, 1}, {1, ~0u, 3}, {2, ~0u, 1}});
  arrive(w, 0, 0), arrive(w, 2, 0), arrive(w, 3, 0), arrive(w, 4, 5);
  LaunchTrace trace;
  trace.blocks = {{0, {w}}};
  using Barriers = std::vector<BlockSteps::Barrier>;
  EXPECT_EQ(steps_to_draw(trace).warps[0].barriers, (Barriers{{0, 0}, {1, 0}, {1, 0}, {2, 5}}));
  const BlockSteps cut = steps_to_draw(trace, 2);
  EXPECT_TRUE(cut.warps[0].cut);
  EXPECT_EQ(cut.warps[0].steps.size(), 2);
  EXPECT_EQ(cut.warps[0].barriers, (Barriers{{0, 0}, {1, 0}}));
}

TEST(BlockSteps, instructionsOfCodeBlocks) {
  KernelInfo kernel;
  kernel.instructions.resize(5);
  const uint32_t blocks[] = {0, 0, InstructionInfo::kNone, 2, 2};
  for (size_t i = 0; i < 5; ++i) kernel.instructions[i].block = blocks[i];
  const auto ranges = instruction_ranges(kernel);
  ASSERT_EQ(ranges.size(), 3);
  EXPECT_EQ(ranges[0], (InstructionRange{0, 1}));
  EXPECT_GT(ranges[1].first, ranges[1].last);
  EXPECT_EQ(ranges[2], (InstructionRange{3, 4}));
}

}  // namespace
}  // namespace drywarp
