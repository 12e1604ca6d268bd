// Verdicts from hand-written facts; bench/accuracy compares verdicts from a GPU's counters.
#include "profile/advice/limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace drywarp::advice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LimiterFacts busy(double compute, double memory, double waves = 20) {
  LimiterFacts f;
  f.compute = compute, f.memory = memory, f.waves = waves, f.sm_active = 100;
  f.blocks = 10000, f.multiprocessors = 132;
  return f;
}

double& stall(LimiterFacts& f, sm::Stall s) { return f.stalls[unsigned(s)].emplace(0); }

TEST(Limiter, NeedsTheTwoThroughputs) {
  EXPECT_FALSE(find_limiter({}).has_value());
  LimiterFacts half;
  half.compute = 50;
  EXPECT_FALSE(find_limiter(half).has_value());
}

// Every threshold of the SpeedOfLight rule.
TEST(Limiter, ThresholdsAreNsightComputes) {
  const struct {
    double compute, memory, waves;
    Limiter limiter;
    bool saturated;
  } cases[] = {
      {59.9, 59.9, 1, Limiter::Latency, false}, {59.9, 59.9, 0.99, Limiter::SmallGrid, false},
      {60, 10, 0.1, Limiter::Compute, false},   {10, 60, 0.1, Limiter::Memory, false},
      {60, 50, 5, Limiter::Compute, false},     {60, 50.1, 5, Limiter::Balanced, false},
      {69.9, 79.9, 5, Limiter::Memory, false},  {70, 79.9, 5, Limiter::Balanced, false},
      {79, 80, 5, Limiter::Memory, true},       {80, 79, 5, Limiter::Compute, true},
      {95, 90, 0.5, Limiter::Compute, true},
  };
  for (const auto& c : cases) {
    const auto v = find_limiter(busy(c.compute, c.memory, c.waves));
    ASSERT_TRUE(v.has_value());
    EXPECT_STREQ(key(v->limiter), key(c.limiter)) << c.compute << " " << c.memory << " " << c.waves;
    EXPECT_EQ(v->saturated, c.saturated) << c.compute << " " << c.memory;
  }
}

TEST(Limiter, AGridOfUnknownWavesIsNotSmall) {
  LimiterFacts f = busy(5, 5);
  f.waves.reset();
  EXPECT_EQ(find_limiter(f)->limiter, Limiter::Latency);
}

TEST(Limiter, NamesTheLevelOfMemory) {
  LimiterFacts f = busy(20, 91);
  f.dram = 91, f.l2 = 40, f.l1 = 30, f.shared = 0;
  const auto v = find_limiter(f);
  EXPECT_EQ(v->unit, "dram");
  EXPECT_THAT(v->text, HasSubstr("memory-bound: DRAM bandwidth at 91.0 % of peak"));
  ASSERT_THAT(v->evidence, SizeIs(3));
  EXPECT_EQ(v->evidence[2].metric, "dram__throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(v->evidence[2].value, 91);
}

// The unit behind the compute throughput may be one that is not among the known pipes.
TEST(Limiter, NamesNoPipeThatIsFarFromTheThroughput) {
  LimiterFacts f = busy(64, 20);
  f.issue = 22, f.fma = 10;
  const auto other = find_limiter(f);
  EXPECT_EQ(other->limiter, Limiter::Compute);
  EXPECT_EQ(other->unit, "");
  EXPECT_THAT(other->text, HasSubstr("no known pipe is behind it, the busiest is issue slots at 22.0 %"));
  f.lsu = 64;
  EXPECT_EQ(find_limiter(f)->unit, "lsu");
  EXPECT_THAT(find_limiter(f)->text, HasSubstr("compute-bound: the load-store unit at 64.0 % of peak"));
  f.lsu.reset(), f.memory = 66, f.dram = 66;
  const auto balanced = find_limiter(f);
  EXPECT_EQ(balanced->unit, "dram");
  EXPECT_THAT(balanced->text, HasSubstr("balanced: DRAM bandwidth at 66.0 % of peak"));
  EXPECT_THAT(balanced->text, HasSubstr("of compute no known pipe is behind it"));
}

// On an H200 the L2 figure may exceed the memory throughput, which leaves out the fabric between its partitions
// (h200-kernels.csv, ladder_red_unroll8_2048).
TEST(Limiter, TheLevelIsTheOneNearestToTheMemoryThroughput) {
  LimiterFacts f = busy(30.49, 61.48);
  f.dram = 61.48, f.l2 = 75.6, f.l1 = 23;
  EXPECT_EQ(find_limiter(f)->unit, "dram");
}

// L1's figure is relative to active cycles; shared memory is part of L1 (ladder_bank_32_2048, transpose.1).
TEST(Limiter, NamesSharedMemoryIfItDoesMostOfL1sWork) {
  LimiterFacts f = busy(7, 50);
  f.memory = 85, f.sm_active = 85, f.l1 = 100, f.shared = 84.9, f.l2 = 0.2, f.dram = 0;
  EXPECT_EQ(find_limiter(f)->unit, "shared");
  f.shared = 20;
  EXPECT_EQ(find_limiter(f)->unit, "l1tex");
  EXPECT_THAT(find_limiter(f)->text, HasSubstr("L1 bandwidth at 85.0 % of peak"));
}

TEST(Limiter, NamesThePipe) {
  LimiterFacts f = busy(85, 20);
  f.fma = 60, f.fp64 = 85, f.issue_active = 40;
  const auto v = find_limiter(f);
  EXPECT_EQ(v->unit, "fp64");
  EXPECT_THAT(v->text, HasSubstr("compute-bound: the FP64 pipe at 85.0 % of peak"));
  f.issue_active = 90;
  f.issue = 90;
  EXPECT_EQ(find_limiter(f)->unit, "issue");
}

TEST(Limiter, BalancedNamesBoth) {
  LimiterFacts f = busy(65, 66);
  f.fma = 65, f.l1 = 66, f.shared = 1;
  EXPECT_EQ(find_limiter(f)->unit, "l1tex+fma");
}

TEST(Limiter, NamesTheLargestStall) {
  LimiterFacts f = busy(10, 30);
  stall(f, sm::Stall::Selected) = 1;
  stall(f, sm::Stall::NotSelected) = 9;  // eligible: not a stall
  stall(f, sm::Stall::LongScoreboard) = 8;
  stall(f, sm::Stall::Wait) = 2;
  const auto v = find_limiter(f);
  EXPECT_EQ(v->unit, "long_scoreboard");
  EXPECT_THAT(v->text, HasSubstr("latency-bound"));
  EXPECT_THAT(v->text, HasSubstr("40 % of a warp's time is long_scoreboard"));
  EXPECT_EQ(v->evidence.back().metric, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio");
  EXPECT_EQ(v->evidence.back().value, 8);
}

TEST(Facts, AreReadByTheirNames) {
  std::map<std::string, double> values = {{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 1},
                                          {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 2},
                                          {"launch__waves_per_multiprocessor", 3},
                                          {"smsp__average_warps_issue_stalled_membar_per_issue_active.ratio", 4}};
  const LimiterFacts f = read_facts([&](const std::string& name) -> std::optional<double> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  });
  EXPECT_EQ(f.compute, 1);
  EXPECT_EQ(f.memory, 2);
  EXPECT_EQ(f.waves, 3);
  EXPECT_EQ(f.stalls[unsigned(sm::Stall::Membar)], 4);
  EXPECT_FALSE(f.dram.has_value());
}

// The limiter reads metrics by name: each must exist and have a value.
TEST(Facts, EveryNameIsAMetricThatHasAValue) {
  unsigned asked = 0;
  (void)read_facts([&](const std::string& name) -> std::optional<double> {
    ++asked;
    const metrics::Metric* metric = metrics::find_metric(name);
    EXPECT_NE(metric, nullptr) << name;
    if (metric) EXPECT_NE(metric->formula, nullptr) << name;
    return std::nullopt;
  });
  EXPECT_GT(asked, sm::kStalls + 15);
}

}  // namespace
}  // namespace drywarp::advice
