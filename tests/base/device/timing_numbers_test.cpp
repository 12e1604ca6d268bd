#include "base/device/timing_numbers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/device/device_spec.h"

namespace drywarp::device {
namespace {

using testing::HasSubstr;

std::string read(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A device file without timing numbers, to which tests add theirs.
std::string bare() {
  std::istringstream in(read(DRYWARP_SOURCE_DIR "/devices/h200.toml"));
  std::string text, line;
  bool keep = true;
  while (std::getline(in, line)) {
    if (line.starts_with("[")) {
      const std::string table = line.substr(1, line.find(']') - 1);
      keep = table != "latency" && table != "issue" && table != "limits";
      for (const TimingTableInfo& known : timing_tables()) keep = keep && table != known.name;
    }
    if (keep) text += line + "\n";
  }
  return text;
}
const char* kSource = "\n[sources.bench]\nkind = \"measured\"\ntext = \"a test\"\n";

Result<DeviceSpec> with(const std::string& tables) { return parse_device(bare() + kSource + tables, "my.toml", "my"); }
std::string rejection_of(const std::string& tables) {
  const auto spec = with(tables);
  return spec ? std::string() : spec.problem().to_string();
}

TEST(TimingNumbers, AreReadWithTheirOrigins) {
  const auto spec = with(
      "[latency]\nsource = \"bench\"\nfma_f32 = 4\ndouble = 8.5\nPOPC = 18\n[issue]\nsource = \"bench\"\nfma_f32 = 1\n"
      "[atomics]\nsource = \"bench\"\nglobal_latency = 600\n"
      "[barrier]\nwarp_cycles = { value = 0, source = \"bench\" }\n"
      "[instruction_cache]\nsource = \"bench\"\nl0_bytes = 12_288\n");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  const TimingNumbers& t = spec->timing;
  EXPECT_EQ(t.latency_of("fma_f32"), 4);
  EXPECT_EQ(t.latency_of("double"), 8.5);
  EXPECT_EQ(t.latency_of("fma_f32", "FADD"), 4);  // operations without a number of their own have the class's
  EXPECT_EQ(t.latency_of("bit_count", "POPC"), 18);
  EXPECT_FALSE(t.latency_of("bit_count", "FLO"));
  EXPECT_EQ(t.issue_of("fma_f32"), 1);
  EXPECT_EQ(t.instruction_cache.l0_bytes, 12288u);
  EXPECT_EQ(t.barrier.warp_cycles, 0);
  EXPECT_FALSE(t.barrier.latency);
  EXPECT_EQ(t.number("atomics.global_latency"), 600);
  EXPECT_EQ(t.number("latency.POPC"), 18);
  EXPECT_FALSE(t.number("atomics.shared_latency"));
  EXPECT_FALSE(t.number("no.such_number"));
  EXPECT_EQ(spec->origins.at("atomics.global_latency").source, "a test");
  EXPECT_EQ(spec->origins.at("latency.fma_f32").kind, NumberKind::Measured);
}

TEST(TimingNumbers, WrongOnesSayWhatAndWhere) {
  EXPECT_THAT(rejection_of("[barrier]\nsource = \"bench\"\nlatncy = 3\n"), HasSubstr("barrier.latncy"));
  EXPECT_THAT(rejection_of("[barrier]\nlatency = 3\n"), HasSubstr("no source"));
  EXPECT_THAT(rejection_of("[barrier]\nsource = \"bench\"\nlatency = -3\n"), HasSubstr("cannot be -3"));
  EXPECT_THAT(rejection_of("[barrier]\nsource = \"bench\"\nlatency = nan\n"), HasSubstr("cannot be nan"));
  EXPECT_THAT(rejection_of("[barrier]\nsource = \"bench\"\nlatency = true\n"), HasSubstr("must be a number"));
  EXPECT_THAT(rejection_of("[barrier]\nsource = \"bench\"\nlatency = [3]\n"), HasSubstr("one number"));
  EXPECT_THAT(rejection_of("[instruction_cache]\nsource = \"bench\"\nl0_bytes = 0.5\n"), HasSubstr("whole number"));
  EXPECT_THAT(rejection_of("[instruction_cache]\nsource = \"bench\"\nl0_bytes = 0\n"), HasSubstr("cannot be 0"));
  EXPECT_THAT(rejection_of("[latency]\nsource = \"bench\"\nalu = \"four\"\n"), HasSubstr("latency.alu"));
  EXPECT_THAT(rejection_of("[scheduler]\nsource = \"bench\"\ndual_issue = 1\n"), HasSubstr("true or false"));
  EXPECT_THAT(rejection_of("[limits]\nsource = \"bench\"\nStackSize = 1.5\n"), HasSubstr("limits.StackSize"));
}

// Without bounds a latency of 1e12 cycles keeps the model running for 40 minutes, and a double cannot count that far
// exactly.
TEST(TimingNumbers, AreBounded) {
  const std::string problem = rejection_of("[dram]\nsource = \"bench\"\nlatency = 1_000_000_000_000\n");
  EXPECT_THAT(problem, HasSubstr("my.toml:"));
  EXPECT_THAT(problem, HasSubstr("'dram.latency' cannot be 1000000000000: it must be from 0 to 100000 cycles"));
  EXPECT_THAT(rejection_of("[latency]\nsource = \"bench\"\nalu = 1e12\n"),
              HasSubstr("'latency.alu' cannot be 1000000000000: it must be from 0 to 100000 cycles"));
  EXPECT_THAT(rejection_of("[issue]\nsource = \"bench\"\nalu = 1e6\n"), HasSubstr("from 0 to 100000"));
  EXPECT_THAT(rejection_of("[l1]\nsource = \"bench\"\nbytes_per_cycle = 0\n"),
              HasSubstr("from 0.1 to 1000000 bytes/cycle"));
}

TEST(TimingNumbers, EveryNumberHasBounds) {
  for (const TimingNumberInfo& info : timing_numbers()) {
    const auto problem = [&](double value) {
      return rejection_of(fmt::format("[{}]\nsource = \"bench\"\n{} = {:.0f}\n", info.table, info.member, value));
    };
    if (info.kind == TimingNumberInfo::Kind::Flag) continue;
    EXPECT_LT(info.least, info.most) << info.path;
    EXPECT_EQ(problem(info.most), "") << info.path;
    for (const double value : {info.most + 1, 1e18, -1.0}) EXPECT_THAT(problem(value), HasSubstr(info.path)) << value;
  }
}

TEST(TimingNumbers, AFeatureNamesWhatIsMissing) {
  const auto spec = with("[barrier]\nsource = \"bench\"\nlatency = 20\n");
  ASSERT_TRUE(spec.ok()) << spec.problem().to_string();
  constexpr std::string_view kHas[] = {"barrier.latency"};
  constexpr std::string_view kLacks[] = {"barrier.latency", "atomics.shared_latency", "issue.texture"};
  EXPECT_TRUE(needs_numbers(*spec, kHas, "the test").ok());
  const Status status = needs_numbers(*spec, kLacks, "the test");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.problem().message, HasSubstr("the test"));
  EXPECT_THAT(status.problem().message, HasSubstr("atomics.shared_latency, issue.texture"));
  EXPECT_THAT(status.problem().message, testing::Not(HasSubstr("barrier.latency")));
}

TEST(TimingNumbers, EveryNumberCanBeSetAndRead) {
  TimingNumbers numbers;
  for (const TimingNumberInfo& info : timing_numbers()) {
    EXPECT_FALSE(numbers.number(info.path)) << info.path;
    EXPECT_TRUE(set_number(numbers, info.path, 1)) << info.path;
    EXPECT_EQ(numbers.number(info.path), 1) << info.path;
  }
  EXPECT_FALSE(set_number(numbers, "l2.colour", 1));
}

// docs/device-files.md holds the tables that timing_numbers.def makes; DRYWARP_ACCEPT=1 writes them.
TEST(TimingNumbers, DocumentationHoldsTheTable) {
  std::string tables;
  for (const TimingTableInfo& table : timing_tables()) {
    tables += fmt::format("\n### `{}`: {}\n\n| number | unit | from | to | what it is |\n|---|---|---|---|---|\n",
                          table.name, table.text);
    for (const TimingNumberInfo& info : timing_numbers()) {
      if (info.table != std::string_view(table.name)) continue;
      const bool flag = info.kind == TimingNumberInfo::Kind::Flag;
      tables += fmt::format("| `{}` | {} | {} | {} | {} |\n", info.member, flag ? "true or false" : info.unit,
                            flag ? "" : bound_text(info.least), flag ? "" : bound_text(info.most), info.text);
    }
  }
  const char* path = DRYWARP_SOURCE_DIR "/docs/device-files.md";
  const std::string page = read(path), mark = "<!-- timing numbers -->\n";
  const size_t at = page.find(mark);
  ASSERT_NE(at, page.npos);
  const std::string wanted = page.substr(0, at + mark.size()) + tables;
  if (std::getenv("DRYWARP_ACCEPT")) std::ofstream(path) << wanted;
  EXPECT_EQ(read(path), wanted);
}

}  // namespace
}  // namespace drywarp::device
