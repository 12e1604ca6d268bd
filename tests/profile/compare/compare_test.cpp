#include "profile/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "profile/compare/lines.h"
#include "profile/compare/match.h"
#include "profile/compare/writers.h"
#include "profile/report/golden.h"

namespace drywarp::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

// "0=1 other parameters"
Names matches(const Names& first, const Names& second, const std::vector<Renaming>& renamings = {}) {
  const auto pairs = match_kernels(first, second, renamings);
  if (!pairs) return {pairs.problem().message, pairs.problem().hint};
  Names texts;
  for (const Pair& p : *pairs)
    texts.push_back(std::to_string(p.first) + "=" + std::to_string(p.second) + " " + name(p.match));
  return texts;
}

TEST(Match, ShortensNames) {
  EXPECT_EQ(without_parameters("void ns::reduce<(int)4, f(int)>(int const*, int)"), "ns::reduce<(int)4, f(int)>");
  EXPECT_EQ(without_template_arguments("void ns::reduce<(int)4>(int const*, int)"), "ns::reduce");
  EXPECT_EQ(without_parameters("(anonymous namespace)::scale(float*)"), "(anonymous namespace)::scale");
  EXPECT_EQ(without_parameters("plain"), "plain");
}

TEST(Match, TakesTheNearestName) {
  EXPECT_THAT(matches({"a(int)", "b(int)"}, {"b(int)", "a(int)"}), ElementsAre("0=1 same name", "1=0 same name"));
  EXPECT_THAT(matches({"a(int)", "b(int)"}, {"b(int)", "a(float*)", "c()"}),
              ElementsAre("0=1 other parameters", "1=0 same name"));
  EXPECT_THAT(matches({"void r<4>(int)", "void r<8>(int)"}, {"void r<8>(int)", "void r<16>(int)", "x()"}),
              ElementsAre("0=1 other template arguments", "1=0 same name"));
  EXPECT_THAT(matches({"a()", "naive(int)"}, {"padded(int)", "a()"}),
              ElementsAre("0=1 same name", "1=0 the only one left"));
  EXPECT_THAT(matches({"a()", "b()"}, {"c()", "d()"}), IsEmpty());
}

TEST(Match, TakesTheUsersRenamings) {
  EXPECT_THAT(matches({"a()", "b()"}, {"c(int)", "void a<1>()"}, {{"a", "c"}}),
              ElementsAre("0=0 --match", "1=1 the only one left"));
  EXPECT_THAT(matches({"naive()"}, {"tiled()", "timed()"}, {{"naive", "tilde"}}),
              ElementsAre("--match: the other profile has no kernel 'tilde'", HasSubstr("it has ti")));
  EXPECT_THAT(matches({"naive()"}, {"tiled()"}, {{"nave", "tiled"}})[0], HasSubstr("the first profile has no kernel"));
  EXPECT_EQ(parse_renaming("old=new<4>")->to, "new<4>");
  for (const char* wrong : {"old", "=new", "old="}) EXPECT_FALSE(parse_renaming(wrong).ok()) << wrong;
}

TEST(Lines, AreAligned) {
  const Names before = {"a", "b", "old 1", "old 2", "c", "gone"}, after = {"new", "a", "b", "changed 1", "c"};
  EXPECT_THAT(align(before, after), ElementsAre(2, 3, 4, 0, 5, 0));
  EXPECT_THAT(align({}, after), IsEmpty());
  EXPECT_THAT(align(before, before), ElementsAre(1, 2, 3, 4, 5, 6));
}

// A kernel with a store in one line and a load in another, whose costs and times are given.
struct KernelRun {
  std::string kernel, source;
  uint32_t store_line, load_line;
  uint64_t store_sectors;
  double ns, store_cycles, load_cycles;
  sm::Stall stall;
  uint64_t divergent_barriers = 0;  // at the store's line
};

record::Profile profile(const KernelRun& run) {
  record::Profile p;
  p.program = "./app", p.device = "NVIDIA H200";
  auto kernel = std::make_shared<KernelInfo>();
  kernel->name = kernel->display_name = run.kernel, kernel->files = {"/somewhere/app.cu"};
  InstructionInfo load, store;
  load.load = true, load.access = 0, load.file = 0, load.line = run.load_line, load.access_bytes = 4;
  store.store = true, store.access = 1, store.file = 0, store.line = run.store_line, store.access_bytes = 4;
  load.klass = store.klass = InstructionClass::LoadStore;
  kernel->instructions = {load, store};
  if (run.divergent_barriers != 0) {
    kernel->instructions.push_back(InstructionInfo{});
    kernel->instructions[2].barrier = true;
    kernel->instructions[2].file = 0, kernel->instructions[2].line = run.store_line;
  }
  record::LaunchRecord launch;
  launch.grid.x = 1, launch.block.x = 32, launch.counted = true;
  launch.counts.blocks_run = launch.counts.warps_run = 1, launch.counts.threads_run = 32;
  launch.counts.blocks = {{1, 32}};
  launch.counts.accesses = {{1, 32, 128, 128, 4, 4, 0, 0, 0}, {1, 32, 128, 128, run.store_sectors, 4, 0, 0, 0}};
  if (run.divergent_barriers != 0)
    launch.counts.barrier_notes = {{BarrierNote::Kind::DivergentWarp, 0, run.divergent_barriers, {}, 0, 16, 16}};
  sm::LaunchTime time;
  time.summary.duration_ns = run.ns;
  time.summary.sm_pct = 10, time.summary.memory_pct = run.stall == sm::Stall::LgThrottle ? 85 : 20;
  time.summary.l2_pct = time.summary.memory_pct, time.summary.waves = 4, time.summary.blocks = 1000,
  time.summary.sms = 132;
  time.summary.stalls_per_issue[unsigned(run.stall)] = 9;
  time.instructions.resize(2);
  time.instructions[0].issued = time.instructions[1].issued = 1;
  time.instructions[0].stalls[unsigned(run.stall)] = run.load_cycles;
  time.instructions[1].stalls[unsigned(run.stall)] = run.store_cycles;
  launch.time = std::make_shared<const sm::LaunchTime>(time);
  p.kernels = {kernel};
  p.launches = {launch, launch};
  std::istringstream in(run.source);
  for (std::string line; std::getline(in, line);) p.kept.sources["/somewhere/app.cu"].push_back(line);
  return p;
}

const KernelRun kBefore = {
    "naive(float*, float const*)", "kernel\n  float x = in[i];\n  out[i * n] = x;\n", 3, 2, 32, 2000, 900, 100,
    sm::Stall::LgThrottle};
const KernelRun kAfter = {"tiled(float*, float const*)",
                          "kernel\n  // through a tile\n  float x = in[i];\n  out[j] = x;\n",
                          4,
                          3,
                          4,
                          500,
                          300,
                          200,
                          sm::Stall::LongScoreboard};

class Compare : public ::testing::Test {
 protected:
  void compare(const std::vector<KernelRun>& runs) {
    for (const KernelRun& run : runs) profiles_.push_back(profile(run));
    report::ModelOptions wanted;
    wanted.selection = selection_for(options_);
    std::vector<ComparedProfile> compared;
    for (const record::Profile& p : profiles_) models_.push_back(report::build_model(p, wanted));
    for (size_t i = 0; i < runs.size(); ++i)
      compared.push_back({std::string(1, char('x' + i)) + ".dwprof", &profiles_[i], &models_[i]});
    auto result = compare_profiles(std::move(compared), options_);
    ASSERT_TRUE(result.ok()) << result.problem().message;
    comparison_ = std::move(*result);
  }
  std::string written(std::string_view format) {
    std::ostringstream out;
    (*compare_formats().find(format))->write(out, comparison_, {});
    return out.str();
  }
  CompareOptions options_;
  std::vector<record::Profile> profiles_;
  std::vector<report::ReportModel> models_;
  Comparison comparison_;
};

TEST_F(Compare, SaysWhatGotBetter) {
  compare({kBefore, kAfter});
  ASSERT_EQ(comparison_.kernels.size(), 1u);
  const ComparedKernel& kernel = comparison_.kernels[0];
  EXPECT_EQ(kernel.matches[1], Match::OnlyOneLeft);
  EXPECT_DOUBLE_EQ(*kernel.speedups[1], 4);
  EXPECT_EQ(kernel.seconds.judgements[1], Judgement::Better);
  EXPECT_TRUE(kernel.limiter_moved[1]);
  EXPECT_DOUBLE_EQ(*comparison_.seconds.values[0], 4e-6);
  std::map<std::string_view, const ComparedMetric*> metrics;
  for (const ComparedMetric& m : kernel.metrics) metrics[m.metric->name] = &m;
  ASSERT_TRUE(metrics.contains("global_sectors") && metrics.contains("gst_efficiency"));
  EXPECT_FALSE(metrics.contains("gld_efficiency")) << "it did not change";
  EXPECT_THAT(metrics["global_sectors"]->values.values, ElementsAre(36, 8));
  EXPECT_EQ(metrics["global_sectors"]->values.judgements[1], Judgement::Better);
  EXPECT_EQ(metrics["gst_efficiency"]->values.judgements[1], Judgement::Better);
  // The store: line 3 became line 4, and took 1.8 us a launch of 2 us, then 0.3 us.
  ASSERT_EQ(kernel.lines.size(), 1u) << "the load did not change";
  EXPECT_EQ(kernel.lines[0].places[0]->line, 3u);
  EXPECT_EQ(kernel.lines[0].places[1]->line, 4u);
  EXPECT_NEAR(*kernel.lines[0].seconds.values[0], 1.8e-6, 1e-12);
  EXPECT_NEAR(*kernel.lines[0].seconds.values[1], 0.3e-6, 1e-12);
}

TEST_F(Compare, SaysWhatGotWorse) {
  compare({kAfter, kBefore});
  const ComparedKernel& kernel = comparison_.kernels[0];
  EXPECT_DOUBLE_EQ(*kernel.speedups[1], 0.25);
  EXPECT_EQ(kernel.seconds.judgements[1], Judgement::Worse);
  EXPECT_THAT(written("text"), HasSubstr("b is 4.00x slower: "));
}

TEST_F(Compare, JudgesDivergentBarriers) {
  KernelRun before = kBefore;
  before.divergent_barriers = 6;
  compare({before, kAfter});
  for (const auto& metrics : {comparison_.kernels[0].metrics, comparison_.kernels[0].lines[0].metrics}) {
    const auto found = std::ranges::find(metrics, "divergent_barriers", [](const auto& m) { return m.metric->name; });
    ASSERT_NE(found, metrics.end());
    EXPECT_EQ(found->values.judgements[1], Judgement::Better);
  }
}

TEST_F(Compare, FindsNoDifferenceInEqualProfiles) {
  compare({kBefore, kBefore});
  const ComparedKernel& kernel = comparison_.kernels[0];
  EXPECT_TRUE(kernel.metrics.empty() && kernel.lines.empty() && !kernel.limiter_moved[1]);
  EXPECT_EQ(kernel.seconds.judgements[1], Judgement::Same);
}

// Modelled values have a tolerance, exact counts have none.
TEST_F(Compare, ToleratesSmallChangesOfWhatIsModelled) {
  KernelRun slightly = kBefore;
  slightly.ns *= 1.005, slightly.store_sectors += 1;
  compare({kBefore, slightly});
  const ComparedKernel& kernel = comparison_.kernels[0];
  EXPECT_EQ(kernel.seconds.judgements[1], Judgement::Same);
  ASSERT_FALSE(kernel.metrics.empty());
  EXPECT_EQ(kernel.metrics[0].metric->name, "global_sectors");
  EXPECT_EQ(kernel.metrics[0].values.judgements[1], Judgement::Worse);
}

TEST_F(Compare, HasAColumnForEachProfile) {
  KernelRun other = kAfter;
  other.kernel = "another(int)", other.ns = 1000;
  compare({kBefore, kAfter, other});
  ASSERT_EQ(comparison_.kernels.size(), 1u);
  EXPECT_THAT(comparison_.kernels[0].speedups, ElementsAre(1, 4, 2));
  expect_golden("tests/golden/report/compare_three.txt", written("text"));
}

TEST_F(Compare, IsWrittenInEveryFormat) {
  compare({kBefore, kAfter});
  expect_golden("tests/golden/report/compare.txt", written("text"));
  expect_golden("tests/golden/report/compare.csv", written("csv"));
  expect_golden("tests/golden/report/compare.json", written("json"));
  const auto json = nlohmann::json::parse(written("json"));
  EXPECT_EQ(json.at("drywarp_compare"), 1);
  EXPECT_EQ(json.at("kernels").at(0).at("speedups").at(1), 4);
  std::istringstream text(written("text"));
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
}

// A kernel without a time has counts to compare, and no speed-up.
TEST_F(Compare, DoesNotInventATime) {
  profiles_ = {};
  std::vector<record::Profile> untimed = {profile(kBefore), profile(kAfter)};
  for (record::Profile& p : untimed)
    for (record::LaunchRecord& l : p.launches) l.time = nullptr;
  report::ModelOptions wanted;
  wanted.selection = selection_for(options_);
  const auto a = report::build_model(untimed[0], wanted), b = report::build_model(untimed[1], wanted);
  const auto result = compare_profiles({{"a", &untimed[0], &a}, {"b", &untimed[1], &b}}, options_);
  ASSERT_TRUE(result.ok());
  EXPECT_FALSE(result->kernels[0].speedups[1].has_value());
  EXPECT_FALSE(result->seconds.values[0].has_value());
  EXPECT_EQ(result->kernels[0].seconds.judgements[1], Judgement::Unknown);
  EXPECT_FALSE(result->kernels[0].metrics.empty());
}

TEST(JudgedMetrics, Exist) { EXPECT_EQ(selection_for({}).size(), 20u); }

}  // namespace
}  // namespace drywarp::compare
