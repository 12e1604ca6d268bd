#include "profile/document/document.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/access/access_pattern.h"
#include "drawn_profile.h"
#include "profile/compare/compare.h"
#include "profile/document/parts.h"
#include "profile/report/golden.h"
#include "profile/report/sample_profile.h"
#include "profile/report/writers/report.h"

namespace drywarp::document {
namespace {

constexpr const char* kSource = "tests/golden/report/sample.cu";

// Lists of numbers and short values on one line.
std::string laid_out(const Json& json, const std::string& indent = "\n") {
  const std::string line = json.dump();
  const bool flat = json.is_primitive() || line.size() < 100 ||
                    (json.is_array() && std::ranges::all_of(json, [](const Json& j) { return j.is_primitive(); }));
  if (flat) return line;
  std::string out;
  for (const auto& [key, value] : json.items())
    out += fmt::format("{}{}  {}{}", out.empty() ? "" : ",", indent, json.is_object() ? Json(key).dump() + ": " : "",
                       laid_out(value, indent + "  "));
  return (json.is_object() ? "{" : "[") + out + indent + (json.is_object() ? "}" : "]");
}

class Document : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::current_path(DRYWARP_SOURCE_DIR); }
  [[nodiscard]] Json made() const {
    auto document = report_document({{"run.dwprof", &profile_}});
    EXPECT_TRUE(document.ok());
    return *document;
  }
  [[nodiscard]] Json json_report() const {
    std::ostringstream out;
    EXPECT_TRUE(report::write_report(out, profile_, {.format = "json", .instructions = true}).ok());
    return Json::parse(out.str());
  }
  record::Profile profile_ = drawn_profile(kSource);
};

TEST_F(Document, Golden) {
  Json all = made();
  // docs/metrics.md and `drywarp devices` have these.
  for (const char* definitions : {"metrics", "unavailable_metrics", "stalls"}) all.erase(definitions);
  all["profiles"][0]["device"].erase("numbers");
  expect_golden("tests/golden/report/document.json", laid_out(all) + '\n');
}

// What both have is the same, number by number.
TEST_F(Document, HasTheNumbersOfTheJsonReport) {
  const Json document = made(), report = json_report();
  const Json &metrics = document["metrics"], &mine = document["profiles"][0];
  const auto expect_part = [&](const Json& sparse, const Json& named) {
    size_t both = 0;
    for (const auto& [index, value] : sparse.items()) {
      const std::string name = metrics[std::stoul(index)]["name"];
      EXPECT_EQ(value, named.at(name)["value"]) << name;
      ++both;
    }
    for (size_t i = 0; i < metrics.size(); ++i) both -= named.contains(metrics[i]["name"].get<std::string>());
    EXPECT_EQ(both, 0u);
  };
  ASSERT_GT(metrics.size(), 200u);
  ASSERT_EQ(mine["kernels"].size(), report["kernels"].size());
  for (size_t k = 0; k < report["kernels"].size(); ++k) {
    const Json &a = mine["kernels"][k], &b = report["kernels"][k];
    for (const auto& [key, value] : b.items())
      if (key != "totals" && key != "lines" && key != "regions" && key != "instructions")
        EXPECT_EQ(a[key], value) << key;
    for (size_t i = 0; i < metrics.size(); ++i) {
      const std::string name = metrics[i]["name"];
      const Json& total = b["totals"].at(name);
      EXPECT_EQ(a["totals"]["values"][i], total["value"]) << name;
      EXPECT_EQ(a["totals"]["min"][i], total["min"]) << name;
      EXPECT_EQ(a["totals"]["max"][i], total["max"]) << name;
      EXPECT_EQ(a["totals"]["avg"][i], total["avg"]) << name;
      EXPECT_EQ(metrics[i]["unit"], total["unit"]) << name;
      EXPECT_EQ(metrics[i]["class"], total["class"]) << name;
    }
    for (const char* parts : {"lines", "regions", "instructions"}) {
      ASSERT_EQ(a[parts].size(), b[parts].size()) << parts;
      for (size_t i = 0; i < b[parts].size(); ++i) {
        EXPECT_EQ(a[parts][i]["time"], b[parts][i]["time"]);
        expect_part(a[parts][i]["metrics"], b[parts][i]["metrics"]);
      }
    }
  }
  ASSERT_EQ(mine["launches"].size(), report["launches"].size());
  for (size_t l = 0; l < report["launches"].size(); ++l) {
    for (size_t i = 0; i < metrics.size(); ++i)
      EXPECT_EQ(mine["launches"][l]["values"][i],
                report["launches"][l]["metrics"].at(metrics[i]["name"].get<std::string>())["value"]);
    for (const char* key : {"grid", "block", "stream", "fault", "untimed"})
      EXPECT_EQ(mine["launches"][l][key], report["launches"][l][key]) << key;
  }
  for (const char* key : {"transfers", "api", "advice", "timing"}) EXPECT_EQ(mine[key], report[key]) << key;
}

TEST_F(Document, SaysWhichMetricsACompilerMadeExact) {
  EXPECT_TRUE(made()["profiles"][0]["kernels"][0]["exact_metrics"].empty());
  auto compiled = std::make_shared<KernelInfo>(*profile_.kernels[0]);
  compiled->resources_from = ResourceSource::Cubin;
  profile_.kernels[0] = compiled;
  const Json document = made();
  const Json& exact = document["profiles"][0]["kernels"][0]["exact_metrics"];
  ASSERT_FALSE(exact.empty());
  EXPECT_EQ(document["metrics"][exact[0].get<size_t>()]["name"], "launch__registers_per_thread");
}

TEST_F(Document, DrawsTheCostliestAccessOfEachInstruction) {
  const Json document = made();
  const Json &kernel = document["profiles"][0]["kernels"][0], &accesses = kernel["drawn"]["accesses"];
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[0]["sectors"], 8);
  EXPECT_EQ(accesses[0]["ideal"], 4);
  EXPECT_EQ(accesses[0]["launch"], 1);
  EXPECT_EQ(kernel["instructions"][accesses[0]["instruction"].get<size_t>()]["text"], "ld.global.f32 %f1, [%rd1];");
  EXPECT_EQ(accesses[1]["wavefronts"], 32);
  ASSERT_EQ(accesses[1]["passes"].size(), 32u);
  for (const Json& pass : accesses[1]["passes"]) {
    ASSERT_EQ(pass.size(), 1u);
    EXPECT_EQ(pass[0]["bank"], 0);
  }
}

TEST_F(Document, LinksMachineCodeAndSteps) {
  const Json document = made();
  const Json& kernel = document["profiles"][0]["kernels"][0];
  ASSERT_EQ(kernel["machine_code"].size(), 3u);
  EXPECT_EQ(kernel["machine_code"][0]["instruction"], 1);
  EXPECT_EQ(kernel["machine_code"][0]["file"], kSource);
  EXPECT_EQ(kernel["machine_code"][1]["stalls"]["barrier"], 1234);
  EXPECT_TRUE(kernel["machine_code"][2]["instruction"].is_null());
  EXPECT_EQ(kernel["drawn"]["steps"]["code_blocks"], Json::parse("[[0, 1, 2, 3, 4, 5, 6]]"));
  EXPECT_EQ(kernel["drawn"]["steps"]["cut"], true);
  EXPECT_EQ(kernel["drawn"]["timeline"]["dram"][0],
            Json::parse(R"([5, 9.5, 12, 3, 7, 77, "r", 0, 6.1])"));  // to a tenth of a cycle
  EXPECT_TRUE(document["profiles"][0]["kernels"][1]["drawn"].is_null());
}

// Kernels and copies one after another, by their start on the host.
TEST_F(Document, TimeLineHasNoGap) {
  const Json document = made();
  const Json& timeline = document["profiles"][0]["timeline"];
  std::vector<std::pair<double, double>> spans;
  for (const Json& stream : timeline["streams"])
    for (const Json& span : stream["spans"]) spans.emplace_back(span[0], span[1]);
  std::ranges::sort(spans);
  ASSERT_EQ(spans.size(), 3u);  // a copy, two launches
  double now = 0;
  for (const auto& [start, seconds] : spans) {
    EXPECT_DOUBLE_EQ(start, now);
    now += seconds;
  }
  EXPECT_DOUBLE_EQ(timeline["seconds"].get<double>(), now);
  EXPECT_DOUBLE_EQ(now, 0.0004 + 2 * 20e-6);
  EXPECT_EQ(timeline["untimed_launches"], 2);
}

TEST_F(Document, OccupancyIsTheDevices) {
  const Json document = made();
  const Json& o = document["profiles"][0]["kernels"][0]["occupancy"];
  EXPECT_EQ(o["warps"], 64);  // 1024 threads, 12 registers, 4 KB: two blocks of 32 warps
  EXPECT_EQ(o["theoretical"], 100);
  EXPECT_EQ(o["limiter"], "warps");
  for (const auto& [curve, at] : {std::pair("by_threads", "threads"), std::pair("by_registers", "registers")}) {
    const auto found = std::ranges::find_if(o[curve], [&](const Json& point) { return point[0] >= o["point"][at]; });
    ASSERT_NE(found, o[curve].end()) << curve;
    EXPECT_EQ((*found)[1], o["theoretical"]) << curve;
  }
}

// A profile describes its device itself: the file may have changed since, or be somewhere else.
TEST_F(Document, TakesTheDeviceFromTheProfile) {
  profile_.device = "A GPU \"of\" our own";
  for (record::DeviceNumber& n : profile_.kept.device_numbers)
    if (n.path == "attributes.MultiProcessorCount") n.value = "7";
  const Json document = made();
  const Json& device = document["profiles"][0]["device"];
  EXPECT_EQ(device["known"], true);
  EXPECT_EQ(device["name"], profile_.device);
  EXPECT_EQ(device["sms"], 7);
  EXPECT_EQ(device["numbers"].size(), profile_.kept.device_numbers.size());
  profile_.kept = {};
  const Json unknown = made();
  EXPECT_EQ(unknown["profiles"][0]["device"]["known"], false);
  EXPECT_TRUE(unknown["profiles"][0]["kernels"][0]["occupancy"].is_null());
}
TEST_F(Document, EveryDeviceSurvivesTheProfile) {
  for (const std::string& id : device::device_ids()) {
    const auto device = device::load_device(id);
    profile_.device = device->name;
    profile_.kept.device_id = id, profile_.kept.architecture = device->architecture;
    profile_.kept.device_numbers.clear();
    for (const auto& [path, origin] : device->origins)
      profile_.kept.device_numbers.push_back({path, device->texts.at(path), device::name(origin.kind), origin.source});
    const auto kept = device_of(profile_);
    ASSERT_TRUE(kept) << id;
    EXPECT_EQ(device_json(*kept), device_json(*device)) << id;
  }
}

TEST_F(Document, FlowsOfMemoryAreMetrics) {
  const Json document = made();
  const Json& memory = document["profiles"][0]["kernels"][0]["memory"];
  EXPECT_EQ(memory["flows"][0]["bytes"], 2 * 32768 * 4 * 32);  // two launches, four sectors a request
  EXPECT_EQ(document["metrics"][memory["flows"][0]["metric"].get<size_t>()]["name"], "gld_transactions");
  for (const char* part : {"flows", "hit_rates"})
    for (const Json& flow : memory[part]) EXPECT_LT(flow["metric"], document["metrics"].size());
}

TEST_F(Document, ComparesTwoProfiles) {
  record::Profile other = report::sample_profile(kSource);
  const auto document = report_document({{"a.dwprof", &profile_}, {"b.dwprof", &other}});
  ASSERT_TRUE(document.ok());
  const Json& all = *document;
  EXPECT_EQ(all["profiles"][1]["title"], "b.dwprof");
  EXPECT_EQ(all["compare"]["drywarp_compare"], 1);
  EXPECT_EQ(all["compare"]["profiles"][0]["name"], "a.dwprof");
  EXPECT_EQ(all["compare"]["kernels"].size(), 2u);
  const auto given = report_document({{"a.dwprof", &profile_}, {"b.dwprof", &other}}, Json("as it was made"));
  EXPECT_EQ((*given)["compare"], "as it was made");
}

TEST(ExplainDocument, HasQuestionsAndAnswers) {
  const Json all =
      explain_document({{"access", "two", {{"stride", 2}}, {{"version", 1}}, *device::load_device("h200")}}, "0.1.0");
  EXPECT_EQ(all["kind"], "explain");
  EXPECT_EQ(all["explain"][0]["input"]["stride"], 2);
  EXPECT_EQ(all["explain"][0]["device"]["known"], true);
  EXPECT_TRUE(all["profiles"].empty());
}

TEST(SweepDocument, HasTheSweepAndItsTitle) {
  const Json all = sweep_document("s.dwsweep", {{"drywarp_sweep", 1}, {"rows", Json::array()}}, "0.1.0");
  EXPECT_EQ(all["kind"], "sweep");
  EXPECT_EQ(all["drywarp_version"], "0.1.0");
  EXPECT_EQ(all["sweep"]["title"], "s.dwsweep");
  EXPECT_EQ(all["sweep"]["drywarp_sweep"], 1);
  EXPECT_TRUE(all["profiles"].empty());
  EXPECT_TRUE(all["explain"].is_null());
}

}  // namespace
}  // namespace drywarp::document
