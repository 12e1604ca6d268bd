// The rules that look at the launch and its occupancy, on both sides of their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advised.h"

namespace drywarp::advice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LaunchRules, NoneForALaunchThatFillsTheDevice) {
  LimiterFacts f = busy(90, 10, 20);
  f.theoretical_occupancy = 100, f.achieved_occupancy = 91;
  EXPECT_THAT(advised(f), IsEmpty());
}

TEST(LaunchRules, FewerBlocksThanMultiprocessors) {
  LimiterFacts f = busy(10, 10, 0.2);
  f.blocks = 131;
  EXPECT_THAT(keys(advised(f)), ElementsAre("small_grid"));
  EXPECT_THAT(advised(f)[0].finding.observation, HasSubstr("131 blocks for 132 multiprocessors"));
  f.blocks = 132;
  EXPECT_THAT(advised(f), IsEmpty());
}

TEST(LaunchRules, DifferentGridsAreARange) {
  LimiterFacts f = busy(10, 10, 0.3);
  f.blocks = 20, f.launches = 7, f.all_blocks = Range{4, 128}, f.all_waves = Range{0.01, 0.48};
  const auto found = advised(f);
  ASSERT_THAT(keys(found), ElementsAre("small_grid"));
  EXPECT_EQ(found[0].finding.observation,
            "grids of 4 to 128 blocks, 7 launches, for 132 multiprocessors: 4 to 128 stand idle");
  ASSERT_TRUE(found[0].finding.evidence[0].range.has_value());
  EXPECT_EQ(found[0].finding.evidence[0].range->most, 128);
  EXPECT_THAT(find_limiter(f)->text,
              HasSubstr("small grid: 0.01 to 0.48 waves, 0.30 on average, do not fill the device"));
  f.all_blocks = Range{4, 1000};
  EXPECT_THAT(advised(f)[0].finding.observation,
              HasSubstr("4 to 1000 blocks, 7 launches, for 132 multiprocessors: up to"));
  LimiterFacts waves = busy(90, 10, 1.25);
  waves.launches = 2, waves.all_waves = Range{1, 1.5};
  EXPECT_THAT(advised(waves), IsEmpty());
}

// LaunchStatistics: 1 / (1 + full waves), from 20 % on and only after a full wave.
TEST(LaunchRules, TheTail) {
  const auto of = [](double waves) { return keys(advised(busy(90, 10, waves))); };
  EXPECT_THAT(of(1.1), ElementsAre("tail"));
  EXPECT_THAT(of(4.1), ElementsAre("tail"));  // exactly 20 %
  EXPECT_THAT(of(5.1), IsEmpty());
  EXPECT_THAT(of(2), IsEmpty());
  EXPECT_THAT(of(0.5), IsEmpty());
  EXPECT_THAT(advised(busy(90, 10, 1.25))[0].finding.observation,
              HasSubstr("1 full wave and a partial one of 25 % of a wave's blocks, which may take up to 50 %"));
}

TEST(LaunchRules, Occupancy) {
  LimiterFacts f = busy(90, 10);
  f.theoretical_occupancy = 79.9, f.achieved_occupancy = 69.9;
  f.limit_blocks = 32, f.limit_registers = 3, f.limit_shared = 3, f.limit_warps = 8;
  EXPECT_THAT(keys(advised(f)), ElementsAre("low_occupancy"));
  EXPECT_THAT(advised(f)[0].finding.observation, HasSubstr("79.9 %, limited by registers and shared memory"));
  f.theoretical_occupancy = 100, f.achieved_occupancy = 89;
  EXPECT_THAT(keys(advised(f)), ElementsAre("occupancy_loss"));
  // More warps do not help what saturates a unit.
  Facts saturated;
  saturated.limiter = f, saturated.verdict = find_limiter(f);
  EXPECT_FALSE(find("occupancy_loss", saturated).has_value());
}

}  // namespace
}  // namespace drywarp::advice
