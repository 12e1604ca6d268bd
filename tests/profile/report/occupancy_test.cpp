#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "profile/report/occupancy/occupancy.h"
#include "profile/report/writers/layout.h"

namespace drywarp::report {
namespace {

using testing::HasSubstr;
using testing::Not;

device::DeviceSpec load(const char* id) {
  auto spec = device::load_device(id);
  if (!spec) throw std::runtime_error(spec.problem().to_string());
  return *spec;
}

OccupancyCase case_of(uint32_t block, uint32_t registers, uint64_t shared) {
  OccupancyCase c;
  c.request = {.registers_per_thread = registers, .threads_per_block = block, .static_shared_bytes = shared};
  return c;
}

std::string write(const device::DeviceSpec& device, const OccupancyCase& c, const OccupancyOptions& options,
                  std::string_view format = "text") {
  std::ostringstream out;
  write_occupancy(out, **occupancy_formats().find(format), device, {c}, options);
  return out.str();
}

TEST(OccupancyReport, AnswersTheCoursesGtx970Example) {
  const std::string text = write(load("gtx970"), case_of(128, 48, 4096), {});
  // 48 registers are 1536 a warp: room for 42.67 warps, 40 in whole blocks; shared memory allows 24 blocks.
  for (const char* figure :
       {"48 a thread, 1536 a warp", "42.67 warps", "10 blocks an SM, 40 of 64 warps: 62.5 % occupancy",
        "limited by registers", "24 blocks      24     96", "8 registers fewer (40 a thread) -> 12 blocks"})
    EXPECT_THAT(text, HasSubstr(figure));
}

TEST(OccupancyReport, AnswersTheCoursesFermiExamples) {
  const device::DeviceSpec fermi = load("gtx480");
  const std::string small = write(fermi, case_of(128, 16, 0), {});
  EXPECT_THAT(small, HasSubstr("8 blocks an SM, 32 of 48 warps: 66.67 % occupancy, limited by blocks"));
  EXPECT_THAT(small, Not(HasSubstr("next step up")));
  EXPECT_THAT(write(fermi, case_of(512, 16, 0), {}), HasSubstr("3 blocks an SM, 48 of 48 warps: 100 % occupancy"));
}

TEST(OccupancyReport, SaysWhatCannotBeLaunched) {
  const std::string text = write(load("h200"), case_of(1024, 128, 0), {});
  EXPECT_THAT(text, HasSubstr("cannot be launched: one block exceeds the limit of registers"));
  EXPECT_THAT(text, HasSubstr("(64 a thread) -> 1 block"));
}

TEST(OccupancyReport, SaysWhereRegistersComeFromAndWhatSpills) {
  OccupancyCase c = case_of(256, 32, 0);
  c.kernel = "k(int*)";
  c.resources = KernelResources{};
  EXPECT_THAT(write(load("h200"), c, {}), HasSubstr("32 registers a thread (estimate)"));
  c.resources->resources_from = ResourceSource::PtxasInfo;
  c.resources->spill_store_bytes = 108;
  c.resources->spill_load_bytes = 112;
  c.local_bytes = 96;
  const std::string text = write(load("h200"), c, {});
  EXPECT_THAT(text, HasSubstr("32 registers a thread (from ptxas-info), 96 bytes local a thread"));
  EXPECT_THAT(text, HasSubstr("spills: 108 bytes stored, 112 loaded"));
}

TEST(OccupancyReport, CountsWaves) {
  OccupancyCase c = case_of(1024, 32, 0);
  c.grid = 600;
  EXPECT_THAT(
      write(load("h200"), c, {}),
      HasSubstr(
          "600 blocks, 264 a wave: 2.27 waves, the last of 72 blocks, 60 SMs idle; 75.8 % of block slots filled"));
}

TEST(OccupancyReport, CsvHasARowPerCaseAndPerPoint) {
  std::istringstream text(write(load("gtx970"), case_of(128, 48, 4096), {.charts = true}, "csv"));
  std::string header, first, line;
  std::getline(text, header);
  std::getline(text, first);
  EXPECT_EQ(first,
            "\"NVIDIA GeForce GTX 970\",\"\",,128,48,4096,0,10,40,62.5,\"registers\",16,32,10,24,,command line,,");
  const auto columns = std::count(header.begin(), header.end(), ',');
  unsigned rows = 0;
  for (; std::getline(text, line); ++rows) EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
  EXPECT_EQ(rows, 32u + 32 + 49);
}

TEST(OccupancyReport, JsonSaysTheSame) {
  OccupancyCase c = case_of(128, 48, 4096);
  c.grid = 1000;
  const auto json = nlohmann::json::parse(write(load("gtx970"), c, {.charts = true}, "json"));
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["device"]["name"], "NVIDIA GeForce GTX 970");
  const auto& one = json["cases"].at(0);
  EXPECT_EQ(one["blocks_per_sm"], 10);
  EXPECT_EQ(one["warps_per_sm"], 40);
  EXPECT_EQ(one["occupancy_percent"], 62.5);
  EXPECT_EQ(one["limiters"], nlohmann::json::array({"registers"}));
  EXPECT_EQ(one["limits"]["shared_memory"], 24);
  EXPECT_EQ(one["limits"]["barriers"], nullptr);
  EXPECT_EQ(one["next_step"]["registers"], 40);
  EXPECT_EQ(one["waves"]["tail_blocks"], 90);
  EXPECT_EQ(one["sweeps"]["block_size"].size(), 32u);
}

TEST(Chart, DrawsInAsciiAndInUnicode) {
  const Chart chart{.values = {1, 2, 4}, .full = 4, .marked = 1, .labels = {"a", "b", "c"}, .column = 2, .height = 4};
  EXPECT_THAT(draw(chart, false), testing::ElementsAre("4 |    ##", "  |    ##", "2 |  ####", "  |######", "0 +------",
                                                       "     ^", "   a b c"));
  EXPECT_THAT(draw(chart, true), testing::ElementsAre("4 ┤    ██", "  │    ██", "2 ┤  ████", "  │██████", "0 └──────",
                                                      "     ▲", "   a b c"));
}

TEST(Chart, ShowsSmallValuesAndLeavesOutLabelsWithoutRoom) {
  const Chart chart{.values = {0, 0.01, 8}, .full = 8, .marked = {}, .labels = {"100", "200", "300"}, .height = 2};
  const auto lines = draw(chart, true);
  EXPECT_EQ(lines[1], "4 ┤ ▁█");
  EXPECT_EQ(lines.back(), "   100");
}

TEST(Chart, KnowsUtf8Locales) {
  EXPECT_TRUE(locale_is_utf8(nullptr, "", "en_US.UTF-8"));
  EXPECT_TRUE(locale_is_utf8("C.utf8", nullptr, "C"));
  EXPECT_FALSE(locale_is_utf8("C", nullptr, "en_US.UTF-8"));
  EXPECT_FALSE(locale_is_utf8(nullptr, nullptr, nullptr));
}

}  // namespace
}  // namespace drywarp::report
