// The rules on block sizes, occupancy and registers, on both sides of their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advised.h"

namespace drywarp::advice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// An H200's launch of 20 waves: 32 block slots, 64 warps.
Facts launch(double threads, double registers_limit) {
  const double warps = std::ceil(threads / 32), by_warps = std::floor(64 / warps);
  MetricFacts facts;
  facts.values["launch__block_size"] = threads;
  Facts f = facts.facts();
  f.limiter = busy(50, 50);
  f.limiter.limit_blocks = 32, f.limiter.limit_warps = by_warps, f.limiter.limit_shared = 32;
  f.limiter.limit_registers = registers_limit;
  const double blocks = std::min({32.0, by_warps, registers_limit});
  f.limiter.theoretical_occupancy = f.limiter.achieved_occupancy = 100 * blocks * warps / 64;
  return f;
}

TEST(BlockSize, IfBlockSlotsRunOutFirst) {
  Facts small = launch(32, 64);
  small.limiter.limit_shared = 64;
  ASSERT_THAT(keys(advise(small)), ElementsAre("block_size"));  // and not low_occupancy, too
  const Finding found = *find("block_size", small);
  EXPECT_EQ(found.headline, "launch blocks of 64 threads or more");
  EXPECT_THAT(found.cure, HasSubstr("64 threads are the smallest block with full occupancy"));
  small.limiter.limit_registers = 40;
  EXPECT_THAT(find("block_size", small)->cure, HasSubstr("the smallest block that block slots do not limit"));
  small.limiter.limit_registers = 32;  // as few as slots
  EXPECT_FALSE(find("block_size", small));
  EXPECT_FALSE(find("block_size", launch(64, 32)));
  small = launch(32, 64);
  small.limiter.limit_shared = 64, small.limiter.waves = 0.9;  // a grid that does not need them
  EXPECT_FALSE(find("block_size", small));
}

TEST(PartialWarps, OnAMultipleOf32OrNot) {
  EXPECT_FALSE(find("partial_warps", launch(96, 32)));
  const auto found = find("partial_warps", launch(100, 32));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->headline, "launch blocks of 96 threads");
  EXPECT_EQ(find("partial_warps", launch(20, 32))->headline, "launch blocks of 32 threads");
}

GainOf gains(std::optional<double> factor) {
  return [factor](whatif::Scenario) -> GainAnswer {
    return factor ? GainAnswer{Gain{*factor, 1, 1}, {}} : GainAnswer{std::nullopt, "no time"};
  };
}

// Above 80 % more occupancy is only worth a word if timing again says so; and then what it gains, or that it does not.
TEST(LowOccupancy, MoreThatWouldNotHelpIsSaid) {
  const Facts most = launch(256, 7);  // 87.5 %
  EXPECT_THAT(advise(most, gains(std::nullopt)), IsEmpty());
  std::vector<Advice> found = advise(most, gains(1.01));
  ASSERT_THAT(keys(found), ElementsAre("low_occupancy"));
  EXPECT_FALSE(found[0].is_worth_it());
  EXPECT_EQ(found[0].finding.without_gain, "more occupancy than 87.5 %");
  EXPECT_TRUE(advise(most, gains(1.02))[0].is_worth_it());
  EXPECT_THAT(keys(advise(launch(256, 6), gains(std::nullopt))), ElementsAre("low_occupancy"));  // 75 %
  EXPECT_THAT(advise(launch(256, 8), gains(1.5)), IsEmpty());
  Facts unfilled = launch(256, 6);
  unfilled.limiter.waves = 0.9, unfilled.limiter.achieved_occupancy = 70;
  EXPECT_THAT(advise(unfilled), IsEmpty());
}

// Without an estimate the load of the busiest unit bounds what a better distribution of the same work can gain.
TEST(Advice, IsBoundedByTheBusiestUnit) {
  const auto tail = [](double compute, double memory) { return advised(busy(compute, memory, 1.5)).at(0); };
  EXPECT_DOUBLE_EQ(*tail(80, 50).at_most, 1.25);
  EXPECT_TRUE(tail(80, 50).is_worth_it());
  EXPECT_FALSE(tail(50, 99).is_worth_it());
  EXPECT_FALSE(tail(59, 50).at_most);
}

TEST(Spills, AndHowTheyCameAbout) {
  Facts facts;
  EXPECT_FALSE(find("spills", facts));
  facts.spill_bytes = 8, facts.registers = 32, facts.registers_from = ResourceSource::LaunchBounds;
  ASSERT_TRUE(find("spills", facts));
  EXPECT_THAT(find("spills", facts)->cure, HasSubstr("maxrregcount"));
  facts.registers_from = ResourceSource::Estimate;
  EXPECT_THAT(find("spills", facts)->headline, HasSubstr("use fewer registers"));
}

TEST(LocalArrays, FromATenthOfTheSectorsOn) {
  MetricFacts facts;
  facts.values = {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 10},
                  {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 0},
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 90}};
  EXPECT_TRUE(find("local_arrays", facts.facts()));
  facts.values["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 91;
  EXPECT_FALSE(find("local_arrays", facts.facts()));
}

}  // namespace
}  // namespace drywarp::advice
