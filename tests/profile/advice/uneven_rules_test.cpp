// The rules on uneven trips: threads of a warp, warps of a block, blocks of a grid; each on both sides of its
// threshold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "advised.h"

namespace drywarp::advice {
namespace {

using ::testing::HasSubstr;

// A loop that 100 warps enter with all lanes, and run ten times.
struct Loop {
  std::deque<InstructionInfo> infos;
  Facts facts;

  explicit Loop(double lanes_of_trip) {
    add("mov.u32 %r1, 0;", 3, 100, 32);
    InstructionFacts& exit = add("@%p1 bra $L__BB0_2;", 4, 1000, lanes_of_trip);
    infos.back().loop_exit = true;
    exit.sums.branches = 1000, exit.sums.divergent = 500;
    facts.metric = MetricFacts{{{"warp_execution_efficiency", 50}, {"branch_efficiency", 50}}}.facts().metric;
  }
  InstructionFacts& add(const std::string& text, uint32_t line, uint64_t warps, double lanes) {
    InstructionInfo& info = infos.emplace_back();
    info.text = text, info.line = line;
    InstructionFacts& i = facts.instructions.emplace_back();
    i.info = &info, i.file = "k.cu";
    const auto all = uint64_t(double(warps) * lanes);
    i.sums.classes[size_t(InstructionClass::Control)] = {warps, all, all};
    return i;
  }
};

TEST(UnevenThreads, FromATenthOfIdleLanesOn) {
  Loop loop(28.7);
  const auto found = find("uneven_threads", loop.facts);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->observation, HasSubstr("28.7 of the 32.0 threads"));
  ASSERT_EQ(found->lines.size(), 1u);
  EXPECT_EQ(found->lines[0].line, 4u);
  EXPECT_FALSE(find("uneven_threads", Loop(28.8).facts));
}

TEST(UnevenThreads, NotForALoopThatFewLanesEnterAndLeaveTogether) {
  Loop loop(8);
  loop.facts.instructions[0].sums.classes[size_t(InstructionClass::Control)] = {100, 800, 800};
  EXPECT_FALSE(find("uneven_threads", loop.facts));
  Loop even(8);
  even.facts.instructions[1].sums.divergent = 0;
  EXPECT_FALSE(find("uneven_threads", even.facts));
}

// A branch in the loop is divergence; the loop's own is not.
TEST(UnevenThreads, AreNotToldToBranchTogether) {
  Loop loop(16);
  EXPECT_FALSE(find("divergence", loop.facts));
  InstructionFacts& branch = loop.add("@%p2 bra $L__BB0_5;", 6, 1000, 16);
  branch.sums.branches = 1000, branch.sums.divergent = 900;
  const auto found = find("divergence", loop.facts);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->lines.size(), 1u);
  EXPECT_EQ(found->lines[0].line, 6u);
}

Facts balanced(double warps, double blocks, double theoretical, double achieved) {
  Facts facts;
  facts.limiter = busy(40, 40);
  facts.limiter.theoretical_occupancy = theoretical, facts.limiter.achieved_occupancy = achieved;
  facts.balance = Balance{warps, blocks};
  return facts;
}

TEST(UnevenWarps, IfTheOthersLeaveTheirSlotsEmptyOrWait) {
  EXPECT_TRUE(find("uneven_warps", balanced(89.9, 100, 100, 89.9)));
  EXPECT_FALSE(find("uneven_warps", balanced(90, 100, 100, 50)));
  EXPECT_FALSE(find("uneven_warps", balanced(50, 100, 100, 90)));  // other blocks take the slots
  Facts waits = balanced(50, 100, 100, 95);
  waits.limiter.stalls[unsigned(sm::Stall::Barrier)] = 3, waits.limiter.stalls[unsigned(sm::Stall::Wait)] = 7;
  ASSERT_TRUE(find("uneven_warps", waits));
  EXPECT_THAT(find("uneven_warps", waits)->observation, HasSubstr("wait at barriers"));
  waits.limiter.stalls[unsigned(sm::Stall::Wait)] = 7.1;
  EXPECT_FALSE(find("uneven_warps", waits));
}

TEST(UnevenBlocks, IfMultiprocessorsStandIdle) {
  Facts facts = balanced(100, 89.9, 100, 95);
  facts.limiter.sm_active = 90;
  EXPECT_TRUE(find("uneven_blocks", facts));
  facts.limiter.sm_active = 90.1;
  EXPECT_FALSE(find("uneven_blocks", facts));
  facts.limiter.sm_active = 50, facts.balance->blocks = 90;
  EXPECT_FALSE(find("uneven_blocks", facts));
  facts.balance->blocks = 10, facts.limiter.blocks = 131;  // idle for want of blocks
  EXPECT_FALSE(find("uneven_blocks", facts));
}

// Who loses occupancy is told the cause, once; if work is known to be even, there is nothing to even out.
TEST(OccupancyLoss, NamesTheCause) {
  EXPECT_THAT(keys(advise(balanced(50, 100, 100, 80))), ::testing::ElementsAre("uneven_warps"));
  EXPECT_THAT(keys(advise(balanced(95, 95, 100, 80))), ::testing::IsEmpty());
  Facts unknown = balanced(95, 95, 100, 80);
  unknown.balance.reset();
  EXPECT_THAT(keys(advise(unknown)), ::testing::ElementsAre("occupancy_loss"));
  Facts few = balanced(95, 95, 100, 80);
  few.limiter.waves = 0.89;
  ASSERT_THAT(keys(advise(few)), ::testing::ElementsAre("occupancy_loss"));
  EXPECT_EQ(advise(few)[0].finding.headline, "launch more blocks: they do not fill the device once");
  few.limiter.waves = 0.91;  // explains less than the loss that counts
  EXPECT_THAT(keys(advise(few)), ::testing::IsEmpty());
}

}  // namespace
}  // namespace drywarp::advice
