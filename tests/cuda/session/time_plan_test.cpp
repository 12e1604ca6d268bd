#include "cuda/launch/time_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drywarp::cuda {
namespace {

using ::testing::HasSubstr;

const KernelInfo kKernel, kOther;

TimePlan::Configuration configuration(uint32_t grid = 10) {
  TimePlan::Configuration s;
  s.kernel = &kKernel;
  s.grid.x = grid;
  return s;
}
TimePlan::Time time(double ns) {
  sm::LaunchTime t;
  t.summary.duration_ns = ns;
  return std::make_shared<const sm::LaunchTime>(std::move(t));
}

TEST(TimePlan, ModesHaveNames) {
  EXPECT_EQ(parse_time_mode("auto"), TimeMode::Auto);
  EXPECT_EQ(parse_time_mode("all"), TimeMode::All);
  EXPECT_EQ(parse_time_mode("off"), TimeMode::Off);
  EXPECT_FALSE(parse_time_mode("yes").has_value());
}

TEST(TimePlan, OffRecordsNothing) { EXPECT_FALSE(TimePlan(TimeMode::Off).should_record(configuration())); }

TEST(TimePlan, LaunchesThatGoElsewhereDoNotDoTheSame) {
  TimePlan plan(TimeMode::All);
  plan.add_simulated(configuration(), {"a", 1}, 100, 1000, time(1));
  EXPECT_EQ(plan.find_equal(configuration(), {"a", 2}), nullptr);
  plan.add_simulated(configuration(), {"a", 2}, 100, 1000, time(2));
  EXPECT_EQ(plan.find_equal(configuration(), {"a", 1})->summary.duration_ns, 1);
  EXPECT_EQ(plan.find_equal(configuration(), {"a", 2})->summary.duration_ns, 2);
  EXPECT_EQ(plan.find_equal(configuration(), {"a"})->summary.duration_ns, 2);  // not recorded: as the last
}

TEST(TimePlan, EqualLaunchesAreSimulatedOnce) {
  TimePlan plan(TimeMode::Auto);
  ASSERT_TRUE(plan.should_record(configuration()));
  EXPECT_EQ(plan.find_equal(configuration(), {"a"}), nullptr);
  const auto first = time(1);
  plan.add_simulated(configuration(), {"a"}, 100, 1000, first);
  EXPECT_TRUE(plan.should_record(configuration()));  // one equal launch does not settle it
  EXPECT_EQ(plan.find_equal(configuration(), {"a"}), first);
  EXPECT_TRUE(plan.should_record(configuration()));
  EXPECT_EQ(plan.find_equal(configuration(), {"a"}), first);
  EXPECT_FALSE(plan.should_record(configuration()));
  EXPECT_EQ(plan.find_equal(configuration(), {"a"}), first);
  // Another configuration or kernel is recorded.
  EXPECT_TRUE(plan.should_record(configuration(11)));
  TimePlan::Configuration other = configuration();
  other.kernel = &kOther;
  EXPECT_TRUE(plan.should_record(other));
}

TEST(TimePlan, ALaunchThatDoesOtherwiseIsNoticed) {
  TimePlan plan(TimeMode::Auto);
  plan.add_simulated(configuration(), {"a"}, 100, 1000, time(1));
  for (int i = 0; i < 3; ++i) EXPECT_NE(plan.find_equal(configuration(), {"a"}), nullptr);
  EXPECT_EQ(plan.find_equal(configuration(), {"b"}), nullptr);
  EXPECT_THAT(plan.reason(false), HasSubstr("differs from the earlier launches"));
  EXPECT_TRUE(plan.should_record(configuration()));  // the next is recorded again
  plan.add_simulated(configuration(), {"b"}, 100, 1000, time(2));
  EXPECT_EQ(plan.find_equal(configuration(), {"a"})->summary.duration_ns, 1);
  EXPECT_EQ(plan.find_equal(configuration(), {"b"})->summary.duration_ns, 2);
}

using Part = std::pair<uint32_t, uint64_t>;
Part part(const TimePlan& plan, uint64_t grid, double a_block, uint64_t recorded = 0, uint32_t resident = 2) {
  const TimePlan::Slice p = plan.slice({recorded != 0 ? recorded : grid}, grid, resident, 132, a_block);
  return {p.sms, p.blocks};
}

TEST(TimePlan, SmallGridsAreSimulatedWhole) {
  TimePlan plan(TimeMode::Auto);
  ASSERT_TRUE(plan.should_record(configuration()));
  EXPECT_EQ(part(plan, 1000, 999), Part(132, 1000));
  EXPECT_EQ(part(plan, 1, 2e6), Part(132, 1));
  EXPECT_EQ(part(plan, 300, 6000), Part(132, 300));  // fewer than two waves: the whole grid
  EXPECT_EQ(part(plan, 0, 0), Part(0, 0));
}

TEST(TimePlan, OfLargeGridsSomeMultiprocessorsAreSimulated) {
  TimePlan plan(TimeMode::Auto);
  ASSERT_TRUE(plan.should_record(configuration()));
  EXPECT_EQ(part(plan, 13200, 1000), Part(16, 1600));     // enough SMs with their whole share
  EXPECT_EQ(part(plan, 13200, 150), Part(66, 6600));      // as many SMs as a million instructions allow
  EXPECT_EQ(part(plan, 13200, 2000), Part(10, 1000));     // fewer, limited by the budget
  EXPECT_EQ(part(plan, 13200, 1000, 960), Part(9, 900));  // or by the trace
  EXPECT_EQ(part(plan, 13200, 20e3), Part(12, 96));       // only their first waves
  EXPECT_EQ(part(plan, 132, 100e3), Part(16, 16));        // one block each
  EXPECT_EQ(part(plan, 264, 1e6), Part(1, 2));
  EXPECT_EQ(part(plan, 13200, 3e6), Part(0, 0));  // not even one SM's blocks
}

TEST(TimePlan, TheBudgetIsWorkAndGrowsWithTheProgram) {
  TimePlan plan(TimeMode::Auto);
  ASSERT_TRUE(plan.should_record(configuration()));
  EXPECT_THAT(plan.reason(true), HasSubstr("--time all"));
  plan.add_simulated(configuration(), {"a"}, 3e6, 1000, time(1));
  EXPECT_EQ(part(plan, 13200, 2000), Part(16, 128));  // the rest of the kernel's budget: first waves
  plan.add_simulated(configuration(), {"a"}, 1e6, 1000, time(1));
  EXPECT_FALSE(plan.should_record(configuration(2)));
  EXPECT_THAT(plan.reason(false), HasSubstr("use --time all"));
  plan.add_executed(100'000'000);
  EXPECT_TRUE(plan.should_record(configuration(2)));
  // Equal launches add to the budget too.
  plan.add_simulated(configuration(), {"b"}, 3e6, 100e6, time(2));
  EXPECT_FALSE(plan.should_record(configuration(2)));
  plan.find_equal(configuration(), {"b"});
  EXPECT_TRUE(plan.should_record(configuration(2)));
}

TEST(TimePlan, EveryKernelHasItsWork) {
  TimePlan plan(TimeMode::Auto);
  const std::vector<KernelInfo> kernels(20);
  for (const KernelInfo& kernel : kernels) {
    TimePlan::Configuration launch = configuration();
    launch.kernel = &kernel;
    ASSERT_TRUE(plan.should_record(launch));
    plan.add_executed(12'000'000);
    const TimePlan::Slice p = plan.slice({144}, 144, 2, 132, 81e3);
    EXPECT_GE(p.sms, 8);
    plan.add_simulated(launch, {"a"}, static_cast<double>(p.blocks) * 81e3, 12e6, time(1));
  }
}

TEST(TimePlan, RecordsWhatItMaySimulate) {
  const TimePlan plan(TimeMode::Auto), all(TimeMode::All);
  EXPECT_EQ(plan.trace_request(5, 2, 132).blocks, 5);
  EXPECT_LE(plan.trace_request(5, 2, 132).bytes, uint64_t{64} << 20);
  EXPECT_GE(static_cast<double>(plan.trace_request(5, 2, 132).instructions), 2e6);
  EXPECT_GT(all.trace_request(5, 2, 132).instructions, plan.trace_request(5, 2, 132).instructions);
}

TEST(TimePlan, RecordsTheBlocksOfFewerSmsOfLargerLaunches) {
  const TimePlan all(TimeMode::All);
  std::vector<uint32_t> sms;
  const TraceRequest request = all.trace_request(100'000, 2, 132);
  for (const TraceWidth& width : request.widths) sms.push_back(width.sms);
  EXPECT_EQ(sms, (std::vector<uint32_t>{132, 64, 32, 16, 8}));
  EXPECT_EQ(request.widths[0].instructions, 64'000'000);
  EXPECT_EQ(request.widths[1].instructions, 16'000'000);
  EXPECT_EQ(request.widths[3].instructions, 64'000'000);
}

TEST(TimePlan, ASliceHasTheSmsWhoseBlocksWereRecorded) {
  const TimePlan all(TimeMode::All);
  const auto part = [&](uint64_t blocks, uint64_t width, double a_block) {
    const TimePlan::Slice p = all.slice({blocks, {132, width}}, 13200, 2, 132, a_block);
    EXPECT_EQ(p.rows, (BlockRows{132, p.sms}));
    return Part(p.sms, p.blocks);
  };
  EXPECT_EQ(part(13200, 132, 4000), Part(40, 4000));  // all were recorded
  EXPECT_EQ(part(3200, 32, 4000), Part(32, 3200));
  EXPECT_EQ(part(800, 8, 50e3), Part(8, 800));
  EXPECT_EQ(part(640, 8, 100e3), Part(8, 64));  // recorded in part: first waves
}

TEST(TimePlan, AllHasNoBudgetButForEachLaunch) {
  TimePlan plan(TimeMode::All);
  plan.add_simulated(configuration(), {"a"}, 1e12, 1000, time(1));
  for (int i = 0; i < 5; ++i) EXPECT_NE(plan.find_equal(configuration(), {"a"}), nullptr);
  EXPECT_TRUE(plan.should_record(configuration()));
  EXPECT_EQ(part(plan, 13200, 1000), Part(132, 13200));
  EXPECT_EQ(part(plan, 13200, 10e3), Part(16, 1600));
}

}  // namespace
}  // namespace drywarp::cuda
