// The rules on a whole run, on both sides of their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profile/advice/run/advise_run.h"

namespace drywarp::advice {
namespace {

using ::testing::HasSubstr;

// Launches of 10 us each, of which `overhead` us pass before the first block.
RunFacts launches(uint64_t count, double overhead) {
  RunFacts facts;
  facts.kernels = {{"step(float*)", count, double(count) * 10e-6, double(count) * overhead * 1e-6}};
  return facts;
}

TEST(SmallLaunches, IfManyAndAFifthOfThemIsOverhead) {
  EXPECT_TRUE(advise_run(launches(20, 1.99)).empty());
  EXPECT_TRUE(advise_run(launches(19, 2)).empty());
  const std::vector<Advice> found = advise_run(launches(20, 2));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].rule->key, "small_launches");
  EXPECT_THAT(found[0].finding.observation, HasSubstr("step (20 of 10.0 us)"));
  ASSERT_TRUE(found[0].gain);
  EXPECT_DOUBLE_EQ(found[0].gain->factor, 200 / (200 - 38.0));  // one launch for all of them
}

TEST(SmallLaunches, NotBesideAKernelThatTakesTheTime) {
  RunFacts facts = launches(20, 2);
  facts.kernels.push_back({"work()", 1, 1, 1e-6});
  EXPECT_TRUE(advise_run(facts).empty());
}

RunFacts copies(double in, double out, double kernels) {
  RunFacts facts;
  facts.kernels = {{"k()", 1, kernels, 0}};
  facts.to_device = {.count = 1, .bytes = 1000, .seconds = in};
  facts.to_host = {.count = 2, .bytes = 1000, .pageable = 2, .seconds = out};
  return facts;
}

TEST(Copies, IfTheyTakeLongerThanTheKernels) {
  EXPECT_TRUE(advise_run(copies(1, 2, 3)).empty());
  const std::vector<Advice> found = advise_run(copies(1, 2, 2.9));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].rule->key, "copies_dominate");
  EXPECT_DOUBLE_EQ(found[0].gain->factor, 5.9 / 2.9);  // all at once
  EXPECT_THAT(found[0].finding.cure, HasSubstr("2 of 3 copies use other memory"));
  EXPECT_THAT(found[0].finding.observation, HasSubstr("; the kernels take 2.90 s"));
}

TEST(Copies, GainWhatTheTimeLineSays) {
  RunFacts facts = copies(1, 2, 2.9);
  facts.to_host.in_other_streams = 2;  // the time line knows whether they overlap
  facts.whole_seconds = 5, facts.pipelined_seconds = 4, facts.overlapped_percent = 30;
  const Advice found = advise_run(facts).at(0);
  EXPECT_DOUBLE_EQ(found.gain->factor, 1.25);
  EXPECT_THAT(found.finding.observation, HasSubstr("; 30 % of what could overlap does"));
  facts.pipelined_seconds = 4.95;  // copying less gains all the same
  EXPECT_FALSE(advise_run(facts).at(0).gain);
}

TEST(Copies, NotIfSomeTimesAreNotKnown) {
  RunFacts facts = copies(1, 2, 2);
  facts.launches_without_time = 1;
  EXPECT_TRUE(advise_run(facts).empty());
  facts = copies(1, 2, 2), facts.to_host.without_time = 1;
  EXPECT_TRUE(advise_run(facts).empty());
  facts = copies(1, 2, 2), facts.to_host.in_other_streams = 1;  // perhaps they overlap already
  EXPECT_FALSE(advise_run(facts).at(0).gain);
}

TEST(RunFacts, HaveTheTimeLine) {
  record::Profile profile;
  timeline::Operation in;
  in.kind = timeline::Kind::ToDevice, in.duration_ns = 800;
  timeline::Operation out = in;
  out.kind = timeline::Kind::ToHost, out.after = {0};
  profile.operations = {in, out};
  const RunFacts facts = run_facts(profile);
  EXPECT_DOUBLE_EQ(facts.whole_seconds, 1600e-9);
  EXPECT_DOUBLE_EQ(facts.pipelined_seconds, 900e-9);  // eight parts of 100 each way
  EXPECT_DOUBLE_EQ(facts.overlapped_percent, 0);
}

TEST(RunFacts, AddUpAProfile) {
  record::Profile profile;
  auto kernel = std::make_shared<KernelInfo>();
  kernel->name = "k";
  profile.kernels = {kernel};
  sm::LaunchTime time;
  time.summary.duration_ns = 3000, time.summary.launch_overhead_ns = 1000;
  record::LaunchRecord timed;
  timed.time = std::make_shared<const sm::LaunchTime>(time);
  profile.launches = {timed, timed, record::LaunchRecord{}};
  profile.transfers = {{record::TransferKind::HostToDevice, 10, 0, 0, 0, true, 2e-6},
                       {record::TransferKind::HostToDevice, 10, 1, 0, 0, false, 0},
                       {record::TransferKind::Memset, 10, 0, 0, 0, false, 5e-6}};
  const RunFacts facts = run_facts(profile);
  ASSERT_EQ(facts.kernels.size(), 1u);
  EXPECT_DOUBLE_EQ(facts.kernels[0].seconds, 6e-6);
  EXPECT_DOUBLE_EQ(facts.kernels[0].overhead_seconds, 2e-6);
  EXPECT_EQ(facts.launches_without_time, 1u);
  EXPECT_EQ(facts.to_device.count, 2u);
  EXPECT_EQ(facts.to_device.pageable, 1u);
  EXPECT_EQ(facts.to_device.without_time, 1u);
  EXPECT_EQ(facts.to_device.in_other_streams, 1u);
  EXPECT_DOUBLE_EQ(facts.to_device.seconds, 2e-6);
  EXPECT_EQ(facts.to_host.count, 0u);
}

}  // namespace
}  // namespace drywarp::advice
