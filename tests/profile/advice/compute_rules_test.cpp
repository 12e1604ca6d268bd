// The rules on computation, on both sides of their thresholds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "advised.h"

namespace drywarp::advice {
namespace {

using ::testing::HasSubstr;

// Instructions that a test describes one by one.
struct Code {
  std::deque<InstructionInfo> infos;
  Facts facts = MetricFacts{}.facts();

  InstructionFacts& add(const std::string& text, uint32_t line, uint64_t warps, double cycles = 0) {
    InstructionInfo& info = infos.emplace_back();
    info.text = text, info.line = line;
    InstructionFacts& i = facts.instructions.emplace_back();
    i.info = &info, i.file = "k.cu";
    i.sums.classes[size_t(InstructionClass::Integer)] = {warps, 32 * warps, 32 * warps};
    i.time.stalls[unsigned(sm::Stall::Wait)] = cycles;
    return i;
  }
  Code& source(uint32_t line, const std::string& text) {
    facts.lines.push_back({"k.cu", line, text, {}, 0});
    return *this;
  }
  Code& metrics(std::map<std::string, double> values) {
    const Facts known = MetricFacts{std::move(values)}.facts();
    facts.metric = known.metric, facts.limiter = known.limiter;
    return *this;
  }
  Code& limited_by(Limiter limiter) {
    facts.verdict.emplace().limiter = limiter;
    return *this;
  }
};

TEST(ComputeRules, Divergence) {
  Code code;
  code.source(7, "if (tid % (2 * stride) == 0) sum[tid] += sum[tid + stride];");
  InstructionFacts& branch = code.add("@%p1 bra $L1;", 7, 100);
  branch.sums.branches = 100, branch.sums.divergent = 60;
  code.metrics({{"warp_execution_efficiency", 89}, {"branch_efficiency", 40}});
  const auto found = find("divergence", code.facts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headline, "let consecutive threads take the branch");
  ASSERT_EQ(found->lines.size(), 1u);
  EXPECT_EQ(found->lines[0].what, "60 of 100 branches of warps take both sides");
  EXPECT_EQ(found->lines[0].total_share, 1.0);
  code.facts.lines[0].source = "if (x[i] > 0) a(); else b();";
  EXPECT_EQ(find("divergence", code.facts)->headline, "keep the threads of a warp on one side of the branch");
  code.metrics({{"warp_execution_efficiency", 90}, {"branch_efficiency", 40}});
  EXPECT_FALSE(find("divergence", code.facts).has_value());
  // Idle lanes of a block that is no multiple of a warp.
  code.metrics({{"warp_execution_efficiency", 50}, {"branch_efficiency", 100}});
  EXPECT_FALSE(find("divergence", code.facts).has_value());
  // A GPU's counters alone.
  EXPECT_TRUE(find("divergence", MetricFacts{{{"warp_execution_efficiency", 50}, {"branch_efficiency", 80}}}.facts()));
}

TEST(ComputeRules, Barriers) {
  Code code;
  InstructionFacts& barrier = code.add("bar.sync 0;", 9, 64);
  code.infos.back().barrier = true;
  barrier.sums.barriers = 64, barrier.time.stalls[unsigned(sm::Stall::Barrier)] = 1000;
  code.facts.limiter.stalls[unsigned(sm::Stall::Barrier)] = 3;
  code.facts.limiter.stalls[unsigned(sm::Stall::Wait)] = 7;
  const auto found = find("barriers", code.facts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headline, "meet less often at barriers");
  EXPECT_THAT(found->observation, HasSubstr("30 %"));
  code.facts.limiter.stalls[unsigned(sm::Stall::Wait)] = 7.1;
  EXPECT_FALSE(find("barriers", code.facts).has_value());
}

TEST(ComputeRules, AddressArithmetic) {
  Code code;
  code.metrics({{"smsp__warps_launched.sum", 10}}).limited_by(Limiter::Compute);
  code.add("mad.lo.s32 %r1, %r2, %r3, %r4;", 4, 20);
  code.infos.back().address_only = true;
  code.add("fma.rn.f32 %f1, %f2, %f3, %f1;", 4, 180);
  ASSERT_TRUE(find("address_arithmetic", code.facts).has_value());
  EXPECT_EQ(find("address_arithmetic", code.facts)->headline, "unroll the loop");
  code.limited_by(Limiter::Memory);
  EXPECT_FALSE(find("address_arithmetic", code.facts).has_value());
  code.limited_by(Limiter::Compute).add("fma.rn.f32 %f1, %f2, %f3, %f1;", 4, 1);
  EXPECT_FALSE(find("address_arithmetic", code.facts).has_value());
  Code once;  // no loop
  once.metrics({{"smsp__warps_launched.sum", 30}}).limited_by(Limiter::Compute);
  once.add("mad.lo.s32 %r1, %r2, %r3, %r4;", 4, 30);
  once.infos.back().address_only = true;
  EXPECT_FALSE(find("address_arithmetic", once.facts).has_value());
}

TEST(ComputeRules, SlowArithmetic) {
  Code code;
  code.add("@%p2 rem.s32 %r1, %r2, %r3;", 5, 10, 100);
  code.add("add.f32 %f1, %f2, %f3;", 6, 10, 900);
  const auto found = find("slow_arithmetic", code.facts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headline, "replace the rem.s32");
  EXPECT_THAT(found->cure, HasSubstr("i & (n - 1)"));
  code.add("add.f32 %f1, %f2, %f3;", 6, 10, 1);
  EXPECT_FALSE(find("slow_arithmetic", code.facts).has_value());
  Code fast;
  fast.add("div.approx.f32 %f1, %f2, %f3;", 5, 10, 1000);
  EXPECT_FALSE(find("slow_arithmetic", fast.facts).has_value());
}

TEST(ComputeRules, AccidentalDoubles) {
  Code code;
  code.add("cvt.f64.f32 %fd1, %f1;", 3, 2);
  EXPECT_FALSE(find("accidental_doubles", code.facts).has_value());  // a result in double precision
  code.add("cvt.rn.f32.f64 %f2, %fd2;", 3, 2);
  const auto found = find("accidental_doubles", code.facts);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->headline, "stay in single precision");
  EXPECT_EQ(found->observation, "64 floats become doubles and 64 doubles become floats again");
}

TEST(ComputeRules, Unfused) {
  Code code;
  code.metrics({{"flop_count_sp_add", 11}, {"flop_count_sp_mul", 11}, {"flop_count_sp_fma", 10}});
  EXPECT_FALSE(find("unfused", code.facts).has_value());  // not limited by computation
  EXPECT_TRUE(find("unfused", code.limited_by(Limiter::Compute).facts).has_value());
  code.metrics({{"flop_count_sp_add", 11}, {"flop_count_sp_mul", 10}, {"flop_count_sp_fma", 10}});
  EXPECT_FALSE(find("unfused", code.facts).has_value());
}

}  // namespace
}  // namespace drywarp::advice
