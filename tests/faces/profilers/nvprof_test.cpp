// nvprof's layouts against recorded ones (tests/golden/nvprof), and what it computes from a profile.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "faces/profilers/nvprof/counter_tables.h"
#include "faces/profilers/nvprof/report.h"

namespace drywarp::profilers::nvprof {
namespace {

using record::TransferKind;
using ::testing::HasSubstr;

constexpr double us = 1e-6, ms = 1e-3;

std::string golden(const std::string& name) {
  std::ifstream in(std::string(DRYWARP_SOURCE_DIR) + "/tests/golden/nvprof/" + name);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Write>
std::string written(Write&& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

// A profile with one kernel, for records that the timeline points to.
struct Sample {
  record::Profile profile;
  std::vector<record::LaunchRecord> launches{1};
  record::TransferRecord to{TransferKind::HostToDevice, 262144}, from{TransferKind::DeviceToHost, 262144},
      fill{TransferKind::Memset, 1028};
  Timeline timeline;

  Sample() {
    auto kernel = std::make_shared<KernelInfo>();
    kernel->name = "_Z9vectorAddPKiS0_Pii";
    kernel->display_name = "vectorAdd(int const *, int const *, int*, int)";
    kernel->registers = 16;
    profile.kernels.push_back(kernel);
    launches[0].grid = {64, 1, 1}, launches[0].block = {1024, 1, 1};
  }
  void copy(double start, double seconds, const record::TransferRecord& t, const char* name) {
    timeline.activities.push_back({start, seconds, name, timeline.activities.size() + 1, nullptr, &t});
  }
  void kernel(double start, std::optional<double> seconds, const std::string& name) {
    timeline.activities.push_back({start, seconds, name, timeline.activities.size() + 1, launches.data(), nullptr});
  }
  void call(double start, double seconds, const char* name, const char* kernel = "") {
    timeline.calls.push_back({start, seconds, name, timeline.calls.size() + 1, kernel});
  }
};

TEST(NvprofNumbers, HaveFiveDigitsAndAUnit) {
  const std::pair<double, const char*> times[] = {{0, "0ns"},
                                                  {832e-9, "832ns"},
                                                  {1.155 * us, "1.1550us"},
                                                  {27.957 * us, "27.957us"},
                                                  {117.02 * us, "117.02us"},
                                                  {690.72 * us, "690.72us"},
                                                  {15.137 * ms, "15.137ms"},
                                                  {3.1681, "3.16810s"},
                                                  {14.9625, "14.9625s"},
                                                  {2400, "2.4e+03s"},
                                                  {9.99999 * us, "10.000us"}};
  for (const auto& [seconds, text] : times) EXPECT_EQ(readable_time(seconds), text);
  const std::pair<double, const char*> sizes[] = {{0, "0B"},
                                                  {1, "1B"},
                                                  {4096, "4.0000KB"},
                                                  {200000, "195.31KB"},
                                                  {80e6, "76.294MB"},
                                                  {1 << 20, "1.0000MB"},
                                                  {1047552, "1023.0KB"},
                                                  {201326592, "192.00MB"}};
  for (const auto& [bytes, text] : sizes) EXPECT_EQ(readable_size(bytes), text);
  EXPECT_EQ(readable_rate(0), "0.00000B/s");
  EXPECT_EQ(readable_rate(781250), "762.94KB/s");
  EXPECT_EQ(readable_rate(6.25e6), "5.9605MB/s");
}

TEST(NvprofSummary, IsTheRecordedLayout) {
  Sample s;
  s.copy(0, 169.63 * us, s.to, "[CUDA memcpy HtoD]");
  s.copy(1, 155.39 * us, s.from, "[CUDA memcpy DtoH]");
  s.kernel(2, 17.506 * us, "sum_reduction(int*, int*)");
  s.kernel(3, 2.784 * us, "sum_reduction(int*, int*)");
  const Timeline gpu_only = s.timeline;
  s.call(0, 3.7527, "cudaMalloc"), s.call(0, 676.85 * us, "cudaMalloc");
  s.call(0, 757e-9, "cudaLaunchKernel"), s.call(0, 1.7235 * ms, "cudaLaunchKernel"),
      s.call(0, 1.043 * us, "cudaLaunchKernel");
  EXPECT_EQ(written([&](std::ostream& out) { write_summary(out, s.timeline, true, true, {}); }), golden("summary.txt"));
  EXPECT_EQ(written([&](std::ostream& out) { write_summary(out, gpu_only, true, false, {true, TimeUnit::Us}); }),
            golden("summary.csv"));
}

TEST(NvprofSummary, SaysWhatIsMissing) {
  Sample s;
  s.kernel(0, 1 * us, "a()"), s.kernel(1, std::nullopt, "b()"), s.kernel(2, std::nullopt, "a()");
  const std::string text = written([&](std::ostream& out) { write_summary(out, s.timeline, true, true, {}); });
  EXPECT_THAT(text, HasSubstr("No API activities were profiled.\n"));
  EXPECT_THAT(text, HasSubstr(" GPU activities:  100.00%  1.0000us         2  1.0000us  1.0000us  1.0000us  a()\n"));
  EXPECT_THAT(text, HasSubstr("                      n/a       n/a         1       n/a       n/a       n/a  b()\n"));
  EXPECT_EQ(written([&](std::ostream& out) { write_summary(out, {}, true, false, {}); }),
            "No kernels were profiled.\n");
}

TEST(NvprofTraces, AreTheRecordedLayouts) {
  Sample s;
  s.timeline.device = "Tesla T4";
  s.copy(465.87 * ms, 26.016 * us, s.to, "[CUDA memcpy HtoD]");
  s.kernel(466.21 * ms, 4.992 * us, s.profile.kernels[0]->display_name);
  s.copy(466.23 * ms, 22.016 * us, s.from, "[CUDA memcpy DtoH]");
  EXPECT_EQ(written([&](std::ostream& out) { write_gpu_trace(out, s.timeline, s.profile, {}); }),
            golden("gpu_trace.txt"));

  Sample csv;
  csv.timeline.device = "GeForce RTX 2080 Ti";
  csv.copy(0, 1.568 * us, csv.fill, "[CUDA memset]");
  csv.copy(50 * us, 26.016 * us, csv.to, "[CUDA memcpy HtoD]");
  csv.kernel(100 * us, 4.992 * us, csv.profile.kernels[0]->display_name);
  EXPECT_EQ(written([&](std::ostream& out) { write_gpu_trace(out, csv.timeline, csv.profile, {true, TimeUnit::Us}); }),
            golden("gpu_trace.csv"));

  s.call(66.721 * ms, 219.4 * ms, "cudaMalloc"), s.call(286.16 * ms, 30.096 * us, "cudaMemcpy");
  s.call(286.21 * ms, 40.939 * us, "cudaLaunchKernel", "vector_add(float*, float*, int)");
  s.call(365 * ms, 757e-9, "cudaFree");
  EXPECT_EQ(written([&](std::ostream& out) { write_api_trace(out, s.timeline, {}); }), golden("api_trace.txt"));
  csv.call(0, 2.866 * us, "cudaMalloc"), csv.call(35863.518 * us, 0.952 * us, "cudaMemcpy");
  EXPECT_EQ(written([&](std::ostream& out) { write_api_trace(out, csv.timeline, {true, TimeUnit::Us}); }),
            golden("api_trace.csv"));
}

TEST(NvprofTraces, ColumnsWithoutAnyValueAreLeftOut) {
  Sample s;
  s.timeline.device = "GPU";
  s.kernel(0, 1 * us, "k()");
  const std::string kernels = written([&](std::ostream& out) { write_gpu_trace(out, s.timeline, s.profile, {}); });
  EXPECT_THAT(kernels, HasSubstr("DSMem*           Device   Context    Stream  Name\n"));
  EXPECT_THAT(kernels, ::testing::Not(HasSubstr("SrcMemType")));
  const std::string units =
      written([&](std::ostream& out) { write_gpu_trace(out, s.timeline, s.profile, {false, TimeUnit::Ms}); });
  EXPECT_THAT(units, HasSubstr("\n      ms        ms\n0.000000  0.001000 "));
}

TEST(NvprofTraces, BothTracesAreOneList) {
  Sample s;
  s.call(1 * ms, 1 * ms, "cudaMemset"), s.call(3 * ms, 2 * ms, "cudaLaunchKernel", "k()");
  s.copy(1.5 * ms, 1 * us, s.fill, "[CUDA memset]"), s.kernel(3.5 * ms, 2 * us, "k()");
  const std::string text = written([&](std::ostream& out) { write_trace(out, s.timeline, s.profile, {}); });
  EXPECT_LT(text.find("  cudaMemset"), text.find("  [CUDA memset]"));
  EXPECT_LT(text.find("  [CUDA memset]"), text.find("  cudaLaunchKernel (k() [2])"));
  EXPECT_LT(text.find("  cudaLaunchKernel (k() [2])"), text.find("  k() [2]"));
}

CounterValues counters(const std::string& kernel, const std::vector<std::pair<std::string, std::vector<double>>>& rows,
                       bool events = false) {
  CounterValues all;
  all.launches.resize(rows[0].second.size());
  for (const auto& [name, values] : rows) {
    all.counters.push_back(events ? (*select_events(name))[0] : (*select_metrics(name))[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      all.launches[i].kernel = kernel;
      all.launches[i].values.emplace_back(values[i]);
      all.launches[i].in_scope.push_back(true);
    }
  }
  return all;
}

TEST(NvprofCounters, AreTheRecordedLayouts) {
  constexpr double kGb = 1 << 30, kMb = 1 << 20;
  EXPECT_EQ(written([&](std::ostream& out) {
              write_counters(out, "NVIDIA GeForce GTX 1070 (0)",
                             counters("kernel(int*, int, int)", {{"inst_per_warp", {12}},
                                                                 {"branch_efficiency", {100}},
                                                                 {"gst_transactions", {20480}},
                                                                 {"gld_throughput", {0}},
                                                                 {"gst_throughput", {154.44 * kGb}},
                                                                 {"dram_read_throughput", {231.66 * kMb}},
                                                                 {"dram_utilization", {46.4}},
                                                                 {"shared_utilization", {0}},
                                                                 {"achieved_occupancy", {67.9567}},
                                                                 {"l2_local_global_store_bytes", {655360}}}),
                             false, false);
            }),
            golden("metrics.txt"));
  EXPECT_EQ(written([&](std::ostream& out) {
              write_counters(out, "Tesla K20c (0)",
                             counters("kernel(float*, int)",
                                      {{"flop_count_sp", {81254400, 81254400, 81254400}},
                                       {"inst_issued", {67668936, 67669007, 67668946}},
                                       {"gld_throughput", {715.782047 * kMb, 159.18311 * kGb, 159.15011 * kGb}},
                                       {"dram_utilization", {0.1, 7, 10}}}),
                             false, true);
            }),
            golden("metrics.csv"));
  EXPECT_EQ(written([&](std::ostream& out) {
              write_counters(out, "GeForce GT 1030 (0)",
                             counters("mm(double*, double*, double*, int)",
                                      {{"warps_launched", {127008}}, {"divergent_branch", {2}}}, true),
                             true, false);
            }),
            golden("events.txt"));
}

TEST(NvprofCounters, LevelsGoFromIdleToMax) {
  const std::pair<double, const char*> levels[] = {{0, "Idle (0)"},  {0.01, "Low (1)"}, {30, "Low (3)"},
                                                   {31, "Mid (4)"},  {60, "Mid (6)"},   {61, "High (7)"},
                                                   {90, "High (9)"}, {99, "Max (10)"}};
  for (const auto& [percent, text] : levels) EXPECT_EQ(format_value(ValueForm::Level, percent, false), text);
}

TEST(NvprofCounters, NamesAreNvprofsAndOurs) {
  EXPECT_EQ(select_metrics("all")->size(), all_metrics().size());
  const auto ours = select_metrics("ptx__inst_executed.sum,smsp__inst_executed.sum");
  ASSERT_TRUE(ours) << ours.problem().message;
  EXPECT_EQ((*ours)[0].form, ValueForm::Count);
  EXPECT_EQ((*ours)[1].form, ValueForm::Count);
  EXPECT_EQ((*select_metrics("ptx__inst_per_warp.ratio"))[0].form, ValueForm::Ratio);
  EXPECT_EQ((*select_metrics("dram__bytes.sum.per_second"))[0].form, ValueForm::Rate);
  EXPECT_THAT(select_metrics("gld_eficiency").problem().hint, HasSubstr("gld_efficiency"));
  EXPECT_THAT(select_events("warp_launched").problem().hint, HasSubstr("warps_launched"));
  EXPECT_FALSE(select_metrics(" , "));
  // What cannot be had says why.
  for (const Counter& c : all_metrics()) EXPECT_EQ(c.metric == nullptr, !c.why_not().empty()) << c.name;
  EXPECT_THAT((*select_metrics("cf_executed"))[0].why_not(), HasSubstr("machine's instructions"));
}

// A row that renames a metric must name one that exists, in a unit that its form can write.
TEST(NvprofCounters, RowsNameMetricsThatExist) {
  unsigned exact = 0;
  for (const Counter& c : all_events()) exact += c.metric && c.metric->klass == metrics::MetricClass::Exact;
  EXPECT_GE(exact, 14u);
  for (const char* name : {"unique_warps_launched", "inst_executed_global_loads", "l2_tex_hit_rate"})
    EXPECT_TRUE((*select_metrics(name))[0].metric) << name;
  for (const char* name :
       {"active_cycles", "elapsed_cycles_sm", "active_warps", "threads_launched", "shared_ld_transactions"})
    EXPECT_TRUE((*select_events(name))[0].metric) << name;
  for (const Counter& c : all_metrics()) {
    if (!c.metric) continue;
    const bool percent = c.form == ValueForm::Percent || c.form == ValueForm::Level || c.form == ValueForm::Share;
    EXPECT_EQ(percent, c.metric->unit == "%") << c.name;
    EXPECT_EQ(c.form == ValueForm::Rate, c.metric->unit == "byte/s") << c.name;
  }
}

TEST(NvprofKernelPath, NamesKernelsStreamsAndInvocations) {
  const std::string name = "void demo::add<3>(float*, float const*)";
  const auto matches = [&](const char* text, unsigned stream, uint64_t invocation) {
    const auto path = KernelPath::parse(text);
    return path && path->matches(name, stream, invocation);
  };
  EXPECT_TRUE(matches("add", 7, 1));
  EXPECT_TRUE(matches("demo::add<3>(float*, float const*)", 7, 1));  // as printed, though * and ( mean more
  EXPECT_TRUE(matches("^void .*add", 7, 1));
  EXPECT_FALSE(matches("sub", 7, 1));
  EXPECT_TRUE(matches("1:7:add:2", 7, 2));
  EXPECT_FALSE(matches("1:7:add:2", 7, 1));
  EXPECT_FALSE(matches("1:7:add:2", 13, 2));
  EXPECT_FALSE(matches("2:7:add:2", 7, 2));
  EXPECT_TRUE(matches(":::[23]", 13, 3));
  EXPECT_FALSE(matches(":named:add:", 7, 1));  // no stream has a name
  EXPECT_FALSE(KernelPath::parse("::add:(").ok());
}

TEST(NvprofLogFile, ExpandsItsName) {
  setenv("NVPROF_TEST_RANK", "3", 1);
  EXPECT_EQ(*log_file_name("out.%p.%q{NVPROF_TEST_RANK}.100%%", 1234), "out.1234.3.100%");
  EXPECT_FALSE(log_file_name("%q{NVPROF_TEST_NO_SUCH}", 1).ok());
  for (const char* wrong : {"%", "%x", "%q", "%q{A"}) EXPECT_FALSE(log_file_name(wrong, 1).ok()) << wrong;
}

TEST(NvprofTimeline, CorrelatesAndLeavesOutWhatWasNotCollected) {
  record::Profile profile;
  auto kernel = std::make_shared<KernelInfo>();
  kernel->name = "_Z1kv", kernel->display_name = "k()";
  profile.kernels.push_back(kernel);
  profile.api_calls = {{"cudaMalloc", -0.001, 0.001}, {"cudaMemcpy", 2, 0.5}, {"cudaLaunchKernel", 1, 0.5}};
  profile.launches.resize(2);
  profile.launches[0].counted = true, profile.launches[0].start_seconds = 1.2;
  profile.transfers = {{TransferKind::HostToDevice, 55'500'000, 0, 2.1, 0.1, true},
                       {TransferKind::HostToHost, 4, 0, 3, 0},
                       {TransferKind::HostToDevice, 55'500'000, 0, 3.1, 0.1, false}};
  const Timeline t = timeline(profile, *device::load_device("h200"), false);
  ASSERT_EQ(t.calls.size(), 3u);
  EXPECT_EQ(t.calls[0].start, 0);
  EXPECT_EQ(t.calls[1].kernel, "_Z1kv");
  ASSERT_EQ(t.activities.size(), 4u);  // the second launch was not counted
  EXPECT_EQ(t.activities[0].correlation, 2u);
  EXPECT_EQ(t.activities[0].seconds, std::nullopt);
  EXPECT_EQ(t.activities[1].correlation, 3u);
  EXPECT_NEAR(*t.activities[1].seconds, 0.0010008, 1e-9);  // 800 ns, and a thousandth of a second at 55.5 GB/s
  EXPECT_EQ(t.activities[2].correlation, std::nullopt);
  EXPECT_EQ(t.activities[2].seconds, std::nullopt);
  // Not page-locked: all at the host's 15.7 GB/s, and 1 MB of it at the link's 55.5 GB/s.
  EXPECT_NEAR(*t.activities[3].seconds, 800e-9 + 55.5e6 / 15.7e9 + 1048576 / 55.5e9, 1e-9);
}

TEST(NvprofReport, SaysWhichNumbersAreModelled) {
  ReportRequest request;
  request.metrics = {{(*select_metrics("gld_transactions"))[0], nullptr}};
  EXPECT_FALSE(request.needs_times());
  request.metrics.push_back({(*select_metrics("ipc"))[0], nullptr});
  EXPECT_TRUE(request.needs_times());
  request.metrics.push_back({(*select_metrics("ecc_throughput"))[0], nullptr});
  request.metrics.push_back(
      {(*select_metrics("gst_transactions"))[0], std::make_shared<const KernelPath>(*KernelPath::parse("nosuch"))});
  Sample s;
  s.launches[0].counted = true;
  s.profile.launches = s.launches;
  std::vector<std::string> notes;
  request.prefix = "==7== ";
  const std::string text =
      written([&](std::ostream& out) { write_report(out, s.profile, *device::load_device("h200"), request, notes); });
  EXPECT_THAT(text, ::testing::StartsWith("==7== Profiling result:\n==7== Metric result:\nInvocations "));
  EXPECT_THAT(notes,
              ::testing::ElementsAre("modelled, not counted: ipc", "n/a: ecc_throughput: drywarp does not count it",
                                     "--kernels nosuch names no launch; launched: vectorAdd"));
}

// docs/nvprof.md: every metric and event, by whether it is exact, modelled or n/a. DRYWARP_ACCEPT=1 rewrites it.
std::string counters_markdown() {
  std::string text;
  for (const bool events : {false, true}) {
    std::string exact, modelled;
    std::map<std::string, std::string> reasons;
    for (const Counter& c : events ? all_events() : all_metrics()) {
      std::string& names = !c.metric                                        ? reasons[c.why_not()]
                           : c.metric->klass == metrics::MetricClass::Exact ? exact
                                                                            : modelled;
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", c.name);
    }
    text += fmt::format("\n## {}\n\n| | |\n|---|---|\n", events ? "Events" : "Metrics");
    text += fmt::format("| exact | {} |\n| modelled | {} |\n", exact, modelled);
    for (const auto& [reason, names] : reasons) text += fmt::format("| n/a: {} | {} |\n", reason, names);
  }
  return text + '\n';
}

TEST(NvprofDocumentation, ListsEveryCounter) {
  const std::string path = std::string(DRYWARP_SOURCE_DIR) + "/docs/nvprof.md";
  std::ifstream in(path);
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::string begin = "<!-- generated: metrics and events -->\n", end = "<!-- end -->\n";
  const size_t from = page.find(begin) + begin.size(), to = page.find(end);
  ASSERT_TRUE(page.find(begin) != std::string::npos && to != std::string::npos && from <= to);
  const std::string wanted = page.substr(0, from) + counters_markdown() + page.substr(to);
  if (std::getenv("DRYWARP_ACCEPT"))
    std::ofstream(path) << wanted;
  else
    EXPECT_EQ(page, wanted);
}

}  // namespace
}  // namespace drywarp::profilers::nvprof
