#include "profile/report/writers/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "golden.h"
#include "profile/record/profile.h"
#include "profile/report/model/model.h"
#include "profile/report/model/numbers.h"
#include "profile/report/model/parts.h"
#include "profile/report/model/roofline.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/text.h"
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
  record::Profile profile_ = sample_profile(kSource);
};

TEST_F(Report, Text) { expect_golden("tests/golden/report/sample.txt", written({})); }
TEST_F(Report, Details) {
  expect_golden("tests/golden/report/sample_details.txt", written({.page = "details", .width = 132}));
}
TEST_F(Report, ShowsOnlyTheKernelsThatAreNamed) {
  const ReportOptions only{.page = "details", .kernel = "reduce\\("};
  const std::string text = written(only);
  EXPECT_THAT(text, HasSubstr("reduce"));
  EXPECT_THAT(text, Not(HasSubstr("transpose(")));
  EXPECT_THAT(text, Not(HasSubstr("cudaMalloc")));
  const Json j = Json::parse(written({.format = "json", .kernel = "reduce\\("}));
  ASSERT_EQ(j["kernels"].size(), 1u);
  ASSERT_EQ(j["launches"].size(), 2u);
  EXPECT_EQ(j["launches"][0]["index"], 2);  // of all launches
  std::ostringstream out;
  EXPECT_FALSE(write_report(out, profile_, {.kernel = "("}).ok());
}
TEST_F(Report, SaysHowOlderDevicesMoveMemory) {
  EXPECT_THAT(written({.page = "details"}), Not(HasSubstr("Sectors are of")));
  EXPECT_TRUE(Json::parse(written({.format = "json"})).at("device_moves").is_null());
  const std::pair<const char*, const char*> older[] = {
      {"gtx280", "16 lanes' words together, in segments of 32 to 128 bytes"},
      {"gtx480", "global and local loads in pieces of 128 bytes, and stores in 32"}};
  for (const auto& [device, moves] : older) {
    profile_.moves = record::moves_of(*device::load_device(device));
    EXPECT_EQ(profile_.moves, moves);
    EXPECT_THAT(written({.page = "details", .width = 0}),
                HasSubstr(fmt::format("but this GPU moves {}. Modelled times", moves)));
    EXPECT_EQ(Json::parse(written({.format = "json"})).at("device_moves"), moves);
  }
  for (const std::string& device : device::device_ids())
    if (!device.starts_with("gtx280") && !device.starts_with("gtx480"))
      EXPECT_EQ(record::moves_of(*device::load_device(device)), "") << device;
}
TEST_F(Report, EveryLineFits80Columns) {
  for (const auto& make : {sample_profile, timed_profile}) {
    profile_ = make(kSource);
    auto kernel = std::make_shared<KernelInfo>(*profile_.kernels[0]);
    kernel->display_name = "void " + std::string(200, 'n') + "<float, 32>(float const*, float*, int)";
    profile_.kernels[0] = kernel;
    profile_.launches.back().fault = "stopped " + std::string(100, 'x');
    for (const char* page : {"summary", "details", "source", "raw"})
      for (const bool launches : {false, true})
        for (const char* metrics : {"", "gld_*,sm__throughput*,l1tex__data_pipe_lsu_wavefronts_mem_shared*"}) {
          std::istringstream in(written({.page = page, .metrics = metrics, .launches = launches}));
          for (std::string line; std::getline(in, line);) EXPECT_LE(display_width(line), 80u) << line;
        }
  }
}
// Beside the kernel in the first table, on its screen, on the page of details, and in JSON.
TEST_F(Report, NamesBarriersThatNotEveryThreadReached) {
  EXPECT_THAT(written({}), Not(HasSubstr("!!")));
  EXPECT_THAT(written({}), Not(HasSubstr("barrier at")));
  for (const size_t launch : {0, 1})
    profile_.launches[launch].counts.barrier_notes = {{BarrierNote::Kind::DivergentWarp, 0, 3, {2, 0, 0}, 1, 8, 24}};
  const std::string said =
      "  Divergent barrier at sample.cu:6: of warp 1 of block (2,0,0), 8 lanes wait at it and 24 run on and end "
      "without "
      "it. CUDA leaves that undefined; ended threads count as arrived, as on a GPU. It happened 6 times\n";
  const std::string text = written({.width = 0});
  EXPECT_THAT(text, HasSubstr("    !! divergent barrier at sample.cu:6\n"));
  EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(written({.page = "details", .width = 0}), HasSubstr(said));
  EXPECT_THAT(written({.page = "details", .width = 0}), HasSubstr("Divergent barriers"));
  const Json kernel = Json::parse(written({.format = "json"}))["kernels"][0];
  ASSERT_EQ(kernel["barriers"].size(), 1u);
  const Json& barrier = kernel["barriers"][0];
  EXPECT_EQ(barrier["line"], 6);
  EXPECT_EQ(barrier["kind"], "divergent_warp");
  EXPECT_EQ(barrier["times"], 6);
  EXPECT_EQ(barrier["block"], Json({2, 0, 0}));
  EXPECT_EQ(barrier["absent"], 24);
  EXPECT_EQ(kernel["totals"]["divergent_barriers"]["value"], 6);
}
// A note, no warning: CUDA defines it.
TEST_F(Report, NamesBarriersAfterThreadsEnded) {
  profile_.launches[0].counts.barrier_notes = {{BarrierNote::Kind::ThreadsEnded, 0, 1, {0, 0, 0}, 0, 40, 88}};
  const std::string text = written({.width = 0});
  EXPECT_THAT(text,
              HasSubstr("  Barrier at sample.cu:6: 88 of 128 threads of block (0,0,0) have ended before it. They"));
  EXPECT_THAT(text, Not(HasSubstr("!!")));
  EXPECT_THAT(text, Not(HasSubstr("It happened")));
}
TEST(Barriers, CopiesOfALineAreOne) {
  using Kind = BarrierNote::Kind;
  KernelInfo kernel;
  kernel.files = {"src/a.cu"};
  for (uint32_t block = 0; block < 4; ++block) {
    InstructionInfo barrier;
    barrier.barrier = true, barrier.block = block, barrier.ptx_line = 50 + block;
    if (block < 3) barrier.file = 0, barrier.line = 9;
    kernel.instructions.push_back(barrier);
  }
  std::vector<BarrierOfLine> all;
  add_barriers(all, kernel,
               {{Kind::ThreadsEnded, 0, 1, {}, 0, 40, 88},
                {Kind::SkippedByWarps, 1, 2, {}, 0, 1, 1},
                {Kind::DivergentWarp, 2, 5, {}, 0, 16, 16},
                {Kind::DivergentWarp, 3, 1, {}, 0, 16, 16},
                {Kind::DivergentWarp, 77, 1, {}, 0, 16, 16}});  // no such block: a damaged file
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(place_of(all[0], false), "PTX line 53");
  EXPECT_EQ(place_of(all[1], false), "a.cu:9");
  EXPECT_EQ(place_of(all[1], true), "src/a.cu:9");
  EXPECT_EQ(all[1].note.kind, Kind::DivergentWarp);
  EXPECT_EQ(all[1].note.times, 7u);  // of the two that CUDA leaves undefined
}
TEST_F(Report, MetricsOfEachLaunch) {
  expect_golden("tests/golden/report/sample_launch_metrics.txt",
                written({.metrics = "gld_efficiency,gld_transactions,shared_ld_bank_conflict,achieved_occupancy",
                         .launches = true}));
}
TEST_F(Report, MetricTable) {
  expect_golden("tests/golden/report/sample_metrics.txt",
                written({.metrics = "gld_efficiency,shared_*_transactions,achieved_occupancy,"
                                    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,branch_efficiency"}));
}
TEST_F(Report, Csv) {
  expect_golden("tests/golden/report/sample.csv", written({.format = "csv", .metrics = "gld_*,launch__*"}));
}
TEST_F(Report, JsonOfEverything) {
  expect_golden("tests/golden/report/sample.json", written({.format = "json", .instructions = true}));
}
TEST_F(Report, Markdown) { expect_golden("tests/golden/report/sample.md", written({.format = "markdown"})); }

class TimedReport : public Report {
 protected:
  void SetUp() override {
    Report::SetUp();
    profile_ = timed_profile(kSource);
  }
};

TEST_F(TimedReport, Text) { expect_golden("tests/golden/report/timed.txt", written({})); }
TEST_F(TimedReport, Details) { expect_golden("tests/golden/report/timed_details.txt", written({.page = "details"})); }
TEST_F(TimedReport, SourcePage) { expect_golden("tests/golden/report/timed_source.txt", written({.page = "source"})); }
TEST_F(TimedReport, Launches) { expect_golden("tests/golden/report/timed_launches.txt", written({.launches = true})); }
TEST_F(TimedReport, JsonOfEverything) {
  expect_golden("tests/golden/report/timed.json",
                written({.format = "json",
                         .metrics = "gpu__time_duration.sum,gld_throughput,ipc,flop_count_sp",
                         .instructions = true,
                         .regions = {{"sample.cu", 5, 7}}}));
}
TEST_F(TimedReport, Markdown) { expect_golden("tests/golden/report/timed.md", written({.format = "markdown"})); }
TEST_F(TimedReport, CsvOfSourceLines) {
  expect_golden("tests/golden/report/timed_lines.csv",
                written({.format = "csv", .metrics = "gld_transactions,shared_*", .source_lines = true}));
}
TEST_F(TimedReport, JsonKeysAndValues) {
  const Json j = Json::parse(written({.format = "json", .regions = {{"sample.cu", 4, 5}, {"other.cu", 1, 9}}}));
  EXPECT_EQ(j["timing"]["caches"], "cold");
  EXPECT_EQ(j["timing"]["sm_clock_hz"], 1980000000);
  const Json& k = j["kernels"][0];
  EXPECT_DOUBLE_EQ(k["time"]["seconds"], 40e-6);
  EXPECT_EQ(k["time"]["calls"], 2);
  EXPECT_EQ(k["time"]["simulated_calls"], 1);
  EXPECT_EQ(k["time"]["share"], 1);
  EXPECT_EQ(k["limiter"]["kind"], "memory");
  EXPECT_EQ(k["limiter"]["unit"], "shared");
  EXPECT_EQ(k["advice"][1]["rule"], "tail");
  EXPECT_EQ(k["totals"]["gpu__time_duration.sum"]["value"], 40000);
  EXPECT_EQ(k["totals"]["ipc"]["value"], 0.7);
  // Both launches' bytes over both launches' time.
  EXPECT_DOUBLE_EQ(k["totals"]["gld_throughput"]["value"], 32768 * 4 * 32 / 20e-6);
  // Stalls at the barrier belong to the region before it.
  ASSERT_EQ(k["regions"].size(), 4u);
  EXPECT_EQ(k["regions"][0]["name"], "start to barrier 1");
  EXPECT_DOUBLE_EQ(k["regions"][0]["time"]["share"], 0.4);
  EXPECT_DOUBLE_EQ(k["regions"][0]["time"]["seconds"], 16e-6);
  EXPECT_EQ(k["regions"][0]["first_line"], 4);
  EXPECT_EQ(k["regions"][0]["last_line"], 6);
  EXPECT_EQ(k["regions"][1]["name"], "barrier 1 to end");
  EXPECT_DOUBLE_EQ(k["regions"][1]["time"]["share"], 0.6);
  EXPECT_EQ(k["regions"][1]["metrics"]["shared_load_transactions"]["value"], 2 * 32768 * 32);
  EXPECT_FALSE(k["regions"][0]["metrics"].contains("shared_load_transactions"));
  EXPECT_EQ(k["regions"][2]["name"], "sample.cu:4-5");
  EXPECT_DOUBLE_EQ(k["regions"][2]["time"]["share"], 0.25);
  EXPECT_EQ(k["regions"][3]["time"]["share"], 0);
  double shares = 0;
  for (const Json& line : k["lines"]) shares += line["time"]["share"].get<double>();
  EXPECT_NEAR(shares, 1, 1e-12);
  const Json& roofline = k["roofline"][0];
  EXPECT_EQ(roofline["precision"], "sp");
  EXPECT_DOUBLE_EQ(roofline["flops_per_second"], 2 * 32768 * 32 * 2 / 40e-6);
  EXPECT_DOUBLE_EQ(roofline["levels"][0]["flops_per_byte"], 2 * 32768 * 32 * 2 / double(8 << 20));
  EXPECT_TRUE(j["launches"][0]["time"]["simulated"]);
  EXPECT_FALSE(j["launches"][1]["time"]["simulated"]);
  EXPECT_EQ(j["launches"][1]["limiter"], j["launches"][0]["limiter"]);
  EXPECT_TRUE(j["launches"][2]["time"].is_null());
  EXPECT_TRUE(j["launches"][2]["limiter"].is_null());
  EXPECT_EQ(j["launches"][2]["untimed"], "it would take too long to model");
  EXPECT_EQ(j["kernels"][1]["untimed"]["it would take too long to model"], 1);
  EXPECT_TRUE(j["kernels"][1]["time"].is_null());
}

TEST_F(TimedReport, JsonOfDifferentGrids) {
  for (uint32_t i = 0; i < 3; ++i) {
    record::LaunchRecord launch = profile_.launches[0];
    auto time = std::make_shared<sm::LaunchTime>(*launch.time);
    time->summary.sm_pct = time->summary.memory_pct = 5, time->summary.simulated_sms = 4 << i;
    time->summary.waves = 0.01 * (i + 1);
    launch.grid = {4u << (2 * i), 1, 1}, launch.time = time;
    profile_.launches.push_back(launch);
  }
  profile_.launches.erase(profile_.launches.begin(), profile_.launches.begin() + 2);
  const Json j = Json::parse(written({.format = "json"}));
  const Json* k = nullptr;
  for (const Json& kernel : j["kernels"])
    if (!kernel["limiter"].is_null()) k = &kernel;
  ASSERT_NE(k, nullptr);
  const auto found = std::ranges::find_if((*k)["advice"], [](const Json& a) { return a["rule"] == "small_grid"; });
  ASSERT_NE(found, (*k)["advice"].end());
  const Json& remark = *found;
  EXPECT_EQ(remark["observation"],
            "grids of 4 to 64 blocks, 3 launches, for 132 multiprocessors: 68 to 128 stand idle");
  const Json& grid = remark["evidence"]["launch__grid_size"];
  EXPECT_EQ(grid["value"], 16);
  EXPECT_EQ(grid["min"], 4);
  EXPECT_EQ(grid["max"], 64);
  EXPECT_EQ(remark["evidence"]["device__attribute_multiprocessor_count"]["value"], 132);
  EXPECT_THAT(written({.page = "details", .width = 0}), HasSubstr("simulated 4 to 16 of 132 SMs"));
}

TEST(LineRanges, ParseAndMatch) {
  const auto range = parse_line_range("dir/k.cu:10-20");
  ASSERT_TRUE(range.has_value());
  EXPECT_TRUE(range->contains("/a/dir/k.cu", 10));
  EXPECT_TRUE(range->contains("dir/k.cu", 20));
  EXPECT_FALSE(range->contains("dir/k.cu", 21));
  EXPECT_FALSE(range->contains("/a/mydir/k.cu", 10));
  EXPECT_EQ(parse_line_range("k.cu:7")->last, 7u);
  for (const char* wrong : {"", "k.cu", "k.cu:", ":7", "k.cu:0", "k.cu:7-", "k.cu:7-6", "k.cu:a", "k.cu:1-2x"})
    EXPECT_FALSE(parse_line_range(wrong).has_value()) << wrong;
}

TEST(Rooflines, NoneWithoutFloatingPointOperations) { EXPECT_TRUE(rooflines({}, {}).empty()); }
TEST(Rooflines, TheRoofIsTheMinimumOfBandwidthAndPeak) {
  metrics::Sums sums;
  sums.flops = {0, 1000, 10};
  sm::Summary s;
  s.duration_ns = 1000, s.peak_sp_flops = 4e9, s.peak_dp_flops = 2e9;
  s.dram_read_bytes = 2000, s.peak_dram_bytes = 4e9, s.l2_read_sectors = 2, s.peak_l2_bytes = 1e9;
  const auto all = rooflines(sums, s);
  ASSERT_EQ(all.size(), 2u);  // the one nearer to its peak first
  EXPECT_STREQ(all[0].key, "sp");
  EXPECT_DOUBLE_EQ(all[0].achieved, 1e9);
  EXPECT_DOUBLE_EQ(all[0].levels[0].intensity, 0.5);
  EXPECT_DOUBLE_EQ(all[0].levels[0].ridge, 1);
  EXPECT_DOUBLE_EQ(all[0].levels[0].roof, 2e9);
  EXPECT_TRUE(all[0].memory_side(all[0].levels[0]));
  EXPECT_DOUBLE_EQ(all[0].levels[1].intensity, 15.625);
  EXPECT_DOUBLE_EQ(all[0].levels[1].roof, 4e9);
  EXPECT_FALSE(all[0].memory_side(all[0].levels[1]));
  EXPECT_EQ(all[0].levels[2].intensity, 0);  // nothing passed L1
  EXPECT_EQ(draw(all[0]).size(), 13u);
}

TEST(MetricList, Text) {
  std::ostringstream out;
  ASSERT_TRUE(write_metric_list(out, {}).ok());
  expect_golden("tests/golden/report/query_metrics.txt", out.str());
}
TEST(MetricList, DocumentationIsTheTable) {
  std::ostringstream out;
  write_metric_page(out);
  expect_golden("docs/metrics.md", out.str());
}
TEST(MetricList, JsonParsesAndNamesEveryMetric) {
  std::ostringstream out;
  ASSERT_TRUE(write_metric_list(out, {.format = "json"}).ok());
  const Json list = Json::parse(out.str());
  ASSERT_EQ(list["metrics"].size(), metrics::all_metrics().size());
  for (const Json& m : list["metrics"]) EXPECT_EQ(m["reason"].is_null(), m["class"] != "not available") << m;
}

// Scripts rely on these; docs/json.md promises them.
TEST_F(Report, JsonKeysAndValues) {
  const Json j = Json::parse(written({.format = "json"}));
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
  EXPECT_EQ(first["registers_from"], "estimate");
  EXPECT_EQ(first["metrics"]["launch__registers_per_thread"]["class"], "modelled");
  EXPECT_EQ(first["shared"], 4096);
  EXPECT_EQ(first["metrics"]["gld_efficiency"], Json({{"value", 100}, {"unit", "%"}, {"class", "exact"}}));
  // Either name finds a metric.
  EXPECT_EQ(first["metrics"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], first["metrics"]["gld_transactions"]);
  // Not counted: no value, never a zero.
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
  const Json j = Json::parse(written({.format = "json"}));
  EXPECT_THAT(j["kernels"][1]["name"].get<std::string>(), HasSubstr("bad"));
}

TEST_F(Report, AnEmptyRun) {
  profile_ = {};
  profile_.program = "./nothing", profile_.device = "NVIDIA H200", profile_.complete = false;
  EXPECT_THAT(written({}), HasSubstr("No kernels were launched"));
  EXPECT_THAT(written({}), HasSubstr("ended without its exit handlers"));
  EXPECT_TRUE(Json::parse(written({.format = "json"}))["signal"].is_null());
  profile_.signal = 11, profile_.exit_code = 139;
  EXPECT_THAT(written({}), HasSubstr("died of signal 11 (SIGSEGV)"));
  EXPECT_EQ(Json::parse(written({.format = "json"}))["signal"], 11);
  EXPECT_EQ(Json::parse(written({.format = "json"}))["launches"].size(), 0u);
  EXPECT_THAT(written({.metrics = "gld_efficiency"}), HasSubstr("No kernels were launched"));
}

TEST_F(Report, WithoutCounters) {
  for (record::LaunchRecord& l : profile_.launches) l.counted = false, l.counts = {};
  const std::string text = written({});
  EXPECT_THAT(text, HasSubstr("transpose"));
  EXPECT_THAT(text, Not(HasSubstr("Counters")));
  EXPECT_THAT(text, Not(HasSubstr("gld_transactions")));
}

TEST_F(Report, KernelsWithEqualCountsKeepTheirOrder) {
  auto other = std::make_shared<KernelInfo>(*profile_.kernels[0]);
  other->name = other->display_name = "other";
  profile_.kernels[1] = other;
  profile_.launches = {profile_.launches[0], profile_.launches[0]};
  profile_.launches[1].kernel = 1;
  for (const double host_seconds : {0.001, 1.0}) {  // whatever the host time of the second
    profile_.launches[1].host_seconds = host_seconds;
    const Json kernels = Json::parse(written({.format = "json"}))["kernels"];
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[1]["name"], "other");
  }
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

TEST(Pages, ByName) {
  EXPECT_EQ((*report_pages().find("raw"))->name, "raw");
  const auto unknown = report_pages().find("all");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.problem().hint, "the pages are summary, details, source and raw");
}

TEST(Metrics, TitlesFitTheirColumn) {
  for (const metrics::Metric& m : metrics::all_metrics())
    if (m.show != metrics::Show::No) EXPECT_LE(m.title().size(), 44u) << m.name << ": " << m.title();
}

TEST(Format, ByName) {
  EXPECT_EQ((*report_formats().find("json"))->name, "json");
  EXPECT_EQ(report_formats().choices(), "text|csv|json|markdown");
  EXPECT_EQ(report_formats().data_names("or"), "csv, json or markdown");
  const auto unknown = report_formats().find("xml");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.problem().message, "the report has no format 'xml'");
  EXPECT_EQ(unknown.problem().hint, "the formats are text, csv, json and markdown");
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
  EXPECT_EQ(readable_bytes(1023), "1023 B");
  EXPECT_EQ(readable_bytes(4096), "4.000 KB");
  EXPECT_EQ(readable_bytes(3.0 * (1u << 30)), "3.000 GB");
  EXPECT_EQ(readable_seconds(0), "0 s");
  EXPECT_EQ(readable_seconds(0.0213), "21.3 ms");
  EXPECT_EQ(readable_seconds(12e-9), "12.0 ns");
  EXPECT_EQ(readable_seconds(75), "75.0 s");
  EXPECT_EQ(readable_value(106.8e9, "byte/s"), "106.8 GB/s");
  EXPECT_EQ(readable_value(24.8e3, "ns"), "24.8 us");
  EXPECT_EQ(readable_value(4, "sector/request"), "4 sectors/request");
  EXPECT_EQ(readable_value(1, "sector"), "1 sector");
  EXPECT_EQ(readable_value(2, "branch"), "2 branches");
  EXPECT_EQ(readable_value(2, "inst"), "2 inst");
  EXPECT_EQ(readable_value(std::nullopt, "%"), "-");
  EXPECT_EQ(full(1e15), "1000000000000000");
  EXPECT_EQ(full(56.25), "56.25");
  EXPECT_EQ(full(std::nullopt), "");
}

TEST(ReplacedLibraries, AreNamed) {
  EXPECT_EQ(replaced_library("_ZN7drywarp6cublas12_GLOBAL__N_14gemmIfffEEvv"), "cuBLAS");
  EXPECT_EQ(replaced_library("_ZN6cublas4gemmEv"), "");
  EXPECT_EQ(replaced_library("_Z4gemmv"), "");

  record::Profile profile = sample_profile("reduce.cu");
  const auto text = [&] {
    std::ostringstream out;
    write_replaced_libraries(out, build_model(profile, {}), 80);
    return out.str();
  };
  EXPECT_EQ(text(), "");
  KernelInfo ours = *profile.kernels[0];
  ours.name = "_ZN7drywarp6curand4fillEv";
  profile.kernels[0] = std::make_shared<const KernelInfo>(std::move(ours));
  EXPECT_THAT(text(), testing::HasSubstr("cuRAND's kernels are drywarp's own"));
  KernelInfo sparse = *profile.kernels[0];
  sparse.name = "_ZN7drywarp8cusparse12_GLOBAL__N_14fillIfEEvv";
  profile.kernels[0] = std::make_shared<const KernelInfo>(std::move(sparse));
  EXPECT_THAT(text(), testing::HasSubstr("cuSPARSE's kernels are drywarp's own"));
}

TEST(Numbers, ShortNames) {
  EXPECT_EQ(short_name("void reduce<4>(int const*, int)"), "reduce<4>");
  EXPECT_EQ(short_name("void f<(Kind)1, void (*)(int)>(int)"), "f<(Kind)1, void (*)(int)>");
  EXPECT_EQ(short_name("(anonymous namespace)::k(float*)"), "(anonymous namespace)::k");
  EXPECT_EQ(short_name("void (anonymous namespace)::k<2>(float*)"), "(anonymous namespace)::k<2>");
  EXPECT_EQ(short_name("plain"), "plain");
  EXPECT_EQ(name_in_table("void a::b::reduce<a::Tag>(int*)"), "a::b::reduce<a::Tag>");
  EXPECT_EQ(name_in_table("void cub::CUB_101702___CUDA_ARCH_LIST___NS::DeviceScanKernel<cub::Policy>(int*)"),
            "DeviceScanKernel<cub::Policy>");
  EXPECT_EQ(name_in_table("void drywarp::cublas::multiply_tile_by_tile<float, float>(float*)"),
            "drywarp::cublas::multiply_tile_by_tile<float, float>");
  EXPECT_EQ(name_in_table("void of_a_very_long_name_of_a_kernel<a::b>(int*)"), "of_a_very_long_name_of_a_kernel<a::b>");
}

TEST(TextTable, DropsColumnsWhereTheLastHasNoRoom) {
  Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left}, 0, 32);
  table.may_drop({1});
  table.row({"0123456789", "left out, as it is long", "the last column"});
  std::ostringstream out;
  table.print(out, {});
  EXPECT_EQ(out.str(), "0123456789  the last column\n");
}

TEST(Wrapped, BreaksAtBlanksAndLongWordsAnywhere) {
  EXPECT_EQ(wrapped("one two three", 8), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("0123456789", 4), (std::vector<std::string>{"0123", "4567", "89"}));
  EXPECT_EQ(wrapped("at 12.0 %, full", 9), (std::vector<std::string>{"at", "12.0 %,", "full"}));
  EXPECT_EQ(wrapped("a b", 0), (std::vector<std::string>{"a b"}));
}

TEST(TextTable, CutsTheLastColumnAndCountsCharacters) {
  Table table({Table::Align::Right, Table::Align::Left}, 1, 30);
  table.row({"\xce\xbc", "0123456789012345678901234567890"});
  table.row({"22", "short"});
  std::ostringstream out;
  table.print(out, {});
  EXPECT_EQ(out.str(), "  \xce\xbc  0123456789012345678901...\n 22  short\n");
}

TEST(TextTable, WrapsTheLastColumnWhereWordsHaveRoom) {
  const auto printed = [](unsigned width) {
    Table table({Table::Align::Right, Table::Align::Left}, 1, width);
    table.wrap_last();
    table.head({"Time", "Change"});
    table.row({"1 s", "all loads of a warp are in flight at once, whatever they are"});
    table.row({"12 s", "short"});
    std::ostringstream out;
    table.print(out, {});
    return out.str();
  };
  EXPECT_EQ(
      printed(40),
      " Time  Change\n  1 s  all loads of a warp are in flight\n       at once, whatever they are\n 12 s  short\n");
  EXPECT_EQ(printed(30), " Time  Change\n  1 s  all loads of a warp ...\n 12 s  short\n");
  EXPECT_EQ(printed(0),
            " Time  Change\n  1 s  all loads of a warp are in flight at once, whatever they are\n 12 s  short\n");
}

TEST(SourceLines, MissingFilesAndLinesAreEmpty) {
  SourceLines files;
  EXPECT_EQ(files.get("/does/not/exist.cu", 1), "");
  EXPECT_EQ(files.get(std::string(DRYWARP_SOURCE_DIR) + "/" + kSource, 100000), "");
  EXPECT_EQ(files.get(std::string(DRYWARP_SOURCE_DIR) + "/" + kSource, 6), "__syncthreads();");
}

}  // namespace
}  // namespace drywarp::report
