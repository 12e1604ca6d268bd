#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "golden.h"
#include "report/model.h"
#include "report/numbers.h"
#include "report/source_lines.h"
#include "report/table.h"
#include "sample_profile.h"

namespace drywarp::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

// A relative path: outputs must be the same wherever the source tree is. Tests run from it.
constexpr const char* kSource = "tests/golden/report/sample.cu";

class Report : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(DRYWARP_SOURCE_DIR); }
  std::string written(const ReportOptions& options) {
    std::ostringstream out;
    const Status s = write_report(out, profile_, options);
    EXPECT_TRUE(s.ok()) << s.problem().message;
    return out.str();
  }
  Profile profile_ = sample_profile(kSource);
};

TEST_F(Report, Text) { expect_golden("tests/golden/report/sample.txt", written({})); }
TEST_F(Report, TextForANarrowTerminal) {
  const std::string text = written({.width = 100});
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("==", 0) != 0) EXPECT_LE(display_width(line), 130u) << line;
  expect_golden("tests/golden/report/sample_narrow.txt", text);
}
TEST_F(Report, MetricTable) {
  expect_golden("tests/golden/report/sample_metrics.txt",
                written({.metrics = "gld_efficiency,shared_*_transactions,achieved_occupancy,"
                                    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,branch_efficiency"}));
}
TEST_F(Report, Csv) {
  expect_golden("tests/golden/report/sample.csv", written({.format = Format::Csv, .metrics = "gld_*,launch__*"}));
}
TEST_F(Report, JsonOfEverything) {
  expect_golden("tests/golden/report/sample.json", written({.format = Format::Json, .instructions = true}));
}

TEST(MetricList, Text) {
  std::ostringstream out;
  write_metric_list(out, Format::Text);
  expect_golden("tests/golden/report/query_metrics.txt", out.str());
}
TEST(MetricList, DocumentationIsTheTable) {
  std::ostringstream out;
  write_metric_page(out);
  expect_golden("docs/metrics.md", out.str());
}
TEST(MetricList, JsonParsesAndNamesEveryMetric) {
  std::ostringstream out;
  write_metric_list(out, Format::Json);
  const Json list = Json::parse(out.str());
  ASSERT_EQ(list["metrics"].size(), metrics::all_metrics().size());
  for (const Json& m : list["metrics"]) EXPECT_EQ(m["reason"].is_null(), m["class"] != "not available") << m;
}

// What scripts rely on; docs/json.md promises it.
TEST_F(Report, JsonKeysAndValues) {
  const Json j = Json::parse(written({.format = Format::Json}));
  EXPECT_EQ(j["drywarp_profile"], 1);
  ASSERT_EQ(j["kernels"].size(), 2u);
  const Json& transpose = j["kernels"][0];
  EXPECT_EQ(transpose["name"], "transpose(float const*, float*, int)");
  EXPECT_EQ(transpose["calls"], 2);
  EXPECT_EQ(transpose["totals"]["gld_transactions"]["value"], (32768 + 8192) * 4);
  EXPECT_EQ(transpose["totals"]["gld_transactions"]["min"], 8192 * 4);
  EXPECT_EQ(transpose["totals"]["gld_transactions"]["class"], "exact");
  EXPECT_EQ(transpose["totals"]["shared_load_max_ways"]["value"], 32);
  EXPECT_EQ(transpose["lines"][0]["line"], 7);
  EXPECT_EQ(transpose["lines"][0]["source"], "out[x * n + y] = tile[threadIdx.x][threadIdx.y];");

  ASSERT_EQ(j["launches"].size(), 4u);
  const Json& first = j["launches"][0];
  EXPECT_EQ(first["grid"], Json({1024, 1, 1}));
  EXPECT_EQ(first["registers"], 12);
  EXPECT_EQ(first["shared"], 4096);
  EXPECT_EQ(first["metrics"]["gld_efficiency"], Json({{"value", 100}, {"unit", "%"}, {"class", "exact"}}));
  // Either name finds a metric.
  EXPECT_EQ(first["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], first["metrics"]["gld_transactions"]);
  // Not counted: no value, and never a zero.
  const Json& failed = j["launches"][3];
  EXPECT_FALSE(failed["counted"]);
  EXPECT_TRUE(failed["metrics"]["gld_transactions"]["value"].is_null());
  EXPECT_EQ(failed["metrics"]["launch__grid_size"]["value"], 4);
  EXPECT_THAT(failed["fault"].get<std::string>(), HasSubstr("illegal address"));
  EXPECT_EQ(j["launches"][2]["range"], "train/step");
  EXPECT_EQ(j["transfers"].size(), 4u);
  EXPECT_EQ(j["api"][1]["calls"], 2);
}

TEST_F(Report, JsonOfNamesThatAreNotUtf8) {
  auto broken = std::make_shared<KernelInfo>(*profile_.kernels[1]);
  broken->display_name = "bad\xff\"name\n";
  profile_.kernels[1] = broken;
  const Json j = Json::parse(written({.format = Format::Json}));
  EXPECT_THAT(j["kernels"][1]["name"].get<std::string>(), HasSubstr("bad"));
}

TEST_F(Report, AnEmptyRun) {
  profile_ = {};
  profile_.program = "./nothing", profile_.device = "NVIDIA H200", profile_.complete = false;
  EXPECT_THAT(written({}), HasSubstr("No kernels were launched"));
  EXPECT_THAT(written({}), HasSubstr("ended without its exit handlers"));
  EXPECT_TRUE(Json::parse(written({.format = Format::Json}))["signal"].is_null());
  profile_.signal = 11, profile_.exit_code = 139;
  EXPECT_THAT(written({}), HasSubstr("died of signal 11 (SIGSEGV)"));
  EXPECT_EQ(Json::parse(written({.format = Format::Json}))["signal"], 11);
  EXPECT_EQ(Json::parse(written({.format = Format::Json}))["launches"].size(), 0u);
  EXPECT_THAT(written({.metrics = "gld_efficiency"}), HasSubstr("No kernels were launched"));
}

TEST_F(Report, WithoutCounters) {
  for (LaunchRecord& l : profile_.launches) l.counted = false, l.counts = {};
  const std::string text = written({});
  EXPECT_THAT(text, HasSubstr("transpose"));
  EXPECT_THAT(text, Not(HasSubstr("Counters")));
  EXPECT_THAT(text, Not(HasSubstr("gld_transactions")));
}

TEST_F(Report, AnUnknownMetricIsAnError) {
  std::ostringstream out;
  const Status s = write_report(out, profile_, {.metrics = "gld_efficency"});
  ASSERT_FALSE(s.ok());
  EXPECT_THAT(s.problem().hint, HasSubstr("gld_efficiency"));
  EXPECT_EQ(out.str(), "");
}

TEST_F(Report, ColourOnlyWhenAskedFor) {
  EXPECT_THAT(written({}), Not(HasSubstr("\033[")));
  EXPECT_THAT(written({.colour = true}), HasSubstr("\033["));
}

TEST(Format, ByName) {
  EXPECT_EQ(parse_format("json").value(), Format::Json);
  EXPECT_FALSE(parse_format("xml").ok());
}

TEST(Numbers, Readable) {
  EXPECT_EQ(readable(0), "0");
  EXPECT_EQ(readable(9999), "9999");
  EXPECT_EQ(readable(10000), "10.00k");
  EXPECT_EQ(readable(999949), "999.9k");
  EXPECT_EQ(readable(999951), "1.000M");
  EXPECT_EQ(readable(1.5), "1.500");
  EXPECT_EQ(readable(33.33333), "33.33");
  EXPECT_EQ(readable(1.8e19), "18.00E");
  EXPECT_EQ(readable_bytes(1023), "1023B");
  EXPECT_EQ(readable_bytes(4096), "4.000KB");
  EXPECT_EQ(readable_bytes(3.0 * (1u << 30)), "3.000GB");
  EXPECT_EQ(readable_seconds(0.0213), "21.30ms");
  EXPECT_EQ(readable_seconds(12e-9), "12.00ns");
  EXPECT_EQ(readable_seconds(75), "75.00s");
  EXPECT_EQ(readable_value(std::nullopt, "%"), "-");
  EXPECT_EQ(full(1e15), "1000000000000000");
  EXPECT_EQ(full(56.25), "56.25");
  EXPECT_EQ(full(std::nullopt), "");
}

TEST(TextTable, CutsTheLastColumnAndCountsCharacters) {
  Table table({Table::Align::Right, Table::Align::Left}, 1, 30);
  table.row({"\xce\xbc", "0123456789012345678901234567890"});
  table.row({"22", "short"});
  std::ostringstream out;
  table.print(out, {});
  EXPECT_EQ(out.str(), "  \xce\xbc  0123456789012345678901...\n 22  short\n");
}

TEST(SourceLines, MissingFilesAndLinesAreEmpty) {
  SourceLines files;
  EXPECT_EQ(files.get("/does/not/exist.cu", 1), "");
  EXPECT_EQ(files.get(std::string(DRYWARP_SOURCE_DIR) + "/" + kSource, 100000), "");
  EXPECT_EQ(files.get(std::string(DRYWARP_SOURCE_DIR) + "/" + kSource, 6), "__syncthreads();");
}

}  // namespace
}  // namespace drywarp::report
