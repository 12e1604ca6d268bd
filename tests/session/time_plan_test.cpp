#include "session/time_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::session {
namespace {

using ::testing::HasSubstr;

const KernelInfo kKernel, kOther;

TimePlan::Shape shape(uint32_t grid = 10) {
  TimePlan::Shape s;
  s.kernel = &kKernel;
  s.grid.x = grid;
  return s;
}
TimePlan::Time time(double ns) {
  timing::LaunchTime t;
  t.summary.duration_ns = ns;
  return std::make_shared<const timing::LaunchTime>(std::move(t));
}

TEST(TimePlan, ModesHaveNames) {
  EXPECT_EQ(parse_time_mode("auto"), TimeMode::Auto);
  EXPECT_EQ(parse_time_mode("all"), TimeMode::All);
  EXPECT_EQ(parse_time_mode("off"), TimeMode::Off);
  EXPECT_FALSE(parse_time_mode("yes").has_value());
}

TEST(TimePlan, OffRecordsNothing) { EXPECT_FALSE(TimePlan(TimeMode::Off).records(shape())); }

TEST(TimePlan, EqualLaunchesAreSimulatedOnce) {
  TimePlan plan(TimeMode::Auto);
  ASSERT_TRUE(plan.records(shape()));
  EXPECT_EQ(plan.ran(shape(), "a"), nullptr);
  const auto first = time(1);
  plan.simulated(shape(), "a", 100, 1000, first);
  EXPECT_TRUE(plan.records(shape()));  // one launch is no habit
  EXPECT_EQ(plan.ran(shape(), "a"), first);
  EXPECT_TRUE(plan.records(shape()));
  EXPECT_EQ(plan.ran(shape(), "a"), first);
  EXPECT_FALSE(plan.records(shape()));
  EXPECT_EQ(plan.ran(shape(), "a"), first);
  // Another shape or kernel is another matter.
  EXPECT_TRUE(plan.records(shape(11)));
  TimePlan::Shape other = shape();
  other.kernel = &kOther;
  EXPECT_TRUE(plan.records(other));
}

TEST(TimePlan, ALaunchThatDoesOtherwiseIsNoticed) {
  TimePlan plan(TimeMode::Auto);
  plan.simulated(shape(), "a", 100, 1000, time(1));
  for (int i = 0; i < 3; ++i) EXPECT_NE(plan.ran(shape(), "a"), nullptr);
  EXPECT_EQ(plan.ran(shape(), "b"), nullptr);
  EXPECT_THAT(plan.reason(false), HasSubstr("otherwise than the launches before"));
  EXPECT_TRUE(plan.records(shape()));  // the next is looked at
  plan.simulated(shape(), "b", 100, 1000, time(2));
  EXPECT_EQ(plan.ran(shape(), "a")->summary.duration_ns, 1);
  EXPECT_EQ(plan.ran(shape(), "b")->summary.duration_ns, 2);
}

TEST(TimePlan, TheBudgetIsWorkAndGrowsWithTheProgram) {
  TimePlan plan(TimeMode::Auto);
  EXPECT_EQ(plan.waves(), 2u);
  EXPECT_EQ(plan.blocks(201, 10000, 100, 3e4), 201u);
  EXPECT_EQ(plan.blocks(201, 10000, 100, 7e4), 100u);
  EXPECT_EQ(plan.blocks(201, 10000, 100, 9e4), 0u);
  EXPECT_EQ(plan.blocks(50, 10000, 100, 1), 0u);  // the trace ended before a wave was recorded
  EXPECT_EQ(plan.blocks(50, 50, 100, 1), 50u);    // the grid is smaller than one
  EXPECT_THAT(plan.reason(true), HasSubstr("--time all"));
  plan.simulated(shape(), "a", 8e6, 1000, time(1));
  EXPECT_FALSE(plan.records(shape(2)));
  EXPECT_THAT(plan.reason(false), HasSubstr("--time all does it"));
  plan.executed(100'000'000);
  EXPECT_TRUE(plan.records(shape(2)));
  // What equal launches execute counts as well.
  plan.simulated(shape(), "b", 3e6, 100e6, time(2));
  EXPECT_FALSE(plan.records(shape(2)));
  plan.ran(shape(), "b");
  EXPECT_TRUE(plan.records(shape(2)));
}

TEST(TimePlan, AllHasNoBudget) {
  TimePlan plan(TimeMode::All);
  plan.simulated(shape(), "a", 1e12, 1000, time(1));
  for (int i = 0; i < 5; ++i) EXPECT_NE(plan.ran(shape(), "a"), nullptr);
  EXPECT_TRUE(plan.records(shape()));
  EXPECT_EQ(plan.blocks(50, 10000, 100, 1e9), 50u);
}

}  // namespace
}  // namespace drywarp::session
