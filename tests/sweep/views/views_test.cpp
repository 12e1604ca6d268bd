// Tables, the best, fronts, drawings and settings of a sweep, beside accepted texts.
#include "sweep/views/views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/support/whole_file.h"
#include "sweep/plan/search.h"

namespace drywarp::sweep {
namespace {

Sweep sample() {
  auto d = parse_description(R"(program = ["mm.cu"]
arguments = ["{N}"]
device = "a100"
[[parameter]]
name = "BM"
kind = "macro"
values = [16, 32, 64]
[[parameter]]
name = "BN"
kind = "macro"
values = [8, 16]
[[parameter]]
name = "N"
kind = "argument"
values = [512]
)",
                             "s.toml");
  EXPECT_TRUE(d.ok());
  Sweep sweep{std::move(*d), {"0.1.0", {}}, {}};
  const double seconds[] = {9e-6, 5e-6, 4e-6, 3e-6, 6e-6, 0};
  const double occupancy[] = {100, 75, 50, 62.5, 25, 0};
  const uint32_t registers[] = {32, 40, 64, 48, 128, 0};
  const auto all = candidates(sweep.description);
  EXPECT_TRUE(all.ok());
  for (const Configuration& configuration : *all) {
    const size_t i = sweep.rows.size();
    Row row{i + 1, configuration, Measurement{}, ""};
    Measurement& m = *row.measurement;
    if (i < 5) {
      m.outcome = Outcome::Ok, m.seconds = seconds[i], m.occupancy = occupancy[i], m.registers = registers[i];
      m.kernels.push_back({"mm", 1, registers[i], "8", "256", seconds[i], occupancy[i], "latency"});
    } else {
      m.outcome = Outcome::DoesNotFit, m.reason = "a launch was refused";
    }
    sweep.rows.push_back(std::move(row));
  }
  return sweep;
}

// DRYWARP_ACCEPT=1 takes the text.
void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = DRYWARP_SOURCE_DIR "/tests/golden/sweep/" + name;
  if (std::getenv("DRYWARP_ACCEPT")) ASSERT_TRUE(write_whole(path, text));
  EXPECT_EQ(read_whole(path).value_or("there is no such file"), text);
}

TEST(Views, printWhatIsAccepted) {
  const Sweep sweep = sample();
  std::ostringstream table, best, csv, json, occupancy, heat;
  write_table(table, sweep, 0);
  write_best(best, sweep);
  write_csv(csv, sweep);
  write_json(json, sweep);
  draw_occupancy(occupancy, sweep);
  ASSERT_TRUE(draw_heat(heat, sweep, "BM", "BN").ok());
  expect_golden("table.txt", table.str());
  expect_golden("best.txt", best.str());
  expect_golden("rows.csv", csv.str());
  expect_golden("rows.json", json.str());
  expect_golden("occupancy.txt", occupancy.str());
  expect_golden("heat.txt", heat.str());
}

TEST(Views, frontHasWhatNoOtherBeats) {
  const Sweep sweep = sample();
  std::vector<size_t> rows;
  for (const Row* row : pareto_front(sweep)) rows.push_back(row->number);
  // Row 3 is slower than row 4, with less occupancy and more registers; so is row 5.
  EXPECT_THAT(rows, testing::ElementsAre(4u, 2u, 1u));
}

TEST(Views, drawEmptySweeps) {
  Sweep sweep = sample();
  for (Row& row : sweep.rows) row.measurement.reset();
  std::ostringstream out;
  write_table(out, sweep, 1);
  write_best(out, sweep);
  draw_occupancy(out, sweep);
  EXPECT_TRUE(draw_heat(out, sweep, "BM", "BN").ok());
  EXPECT_FALSE(draw_heat(out, sweep, "BM", "BK").ok());
  EXPECT_FALSE(draw_heat(out, sweep, "BM", "BM").ok());
  EXPECT_THAT(out.str(), testing::HasSubstr("No row has a time"));
}

TEST(Views, drawIn80Columns) {
  auto d = parse_description(R"(program = ["mm.cu"]
[[parameter]]
name = "BM"
kind = "macro"
values = ["1..12"]
[[parameter]]
name = "BN"
kind = "macro"
values = [8, 16]
)",
                             "s.toml");
  ASSERT_TRUE(d.ok());
  Sweep sweep{std::move(*d), {}, {}};
  const auto all = candidates(sweep.description);
  ASSERT_TRUE(all.ok());
  for (const Configuration& configuration : *all) {
    Measurement m;
    m.outcome = Outcome::Ok, m.seconds = 1e-6 * static_cast<double>(sweep.rows.size() + 1), m.occupancy = 50;
    sweep.rows.push_back({sweep.rows.size() + 1, configuration, m, ""});
  }
  std::ostringstream out;
  draw_occupancy(out, sweep);
  ASSERT_TRUE(draw_heat(out, sweep, "BM", "BN").ok());
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(out.str(), testing::HasSubstr("24.0 us"));  // the last cell of the last part
}

TEST(Views, giveSettings) {
  const Sweep sweep = sample();
  EXPECT_EQ(flags_of(sweep, sweep.rows[3]), "--device a100 mm.cu -DBM=32 -DBN=16 -- 512");
  EXPECT_EQ(header_of(sweep, sweep.rows[3]),
            "// The best of a sweep: BM=32 BN=16 N=512.\n#pragma once\n#ifndef BM\n#define BM 32\n#endif\n"
            "#ifndef BN\n#define BN 16\n#endif\n");
}

TEST(Views, holdTheBestToABaseline) {
  const Sweep before = sample();
  Sweep now = sample();
  now.rows[3].measurement->seconds = 3.08e-6;
  EXPECT_EQ(slower_than(before, now, 3)->size(), 0u);
  now.rows[3].measurement->seconds = 3.10e-6;
  ASSERT_EQ(slower_than(before, now, 3)->size(), 1u);
  for (Row& row : now.rows) row.measurement->outcome = Outcome::Failed;
  EXPECT_FALSE(slower_than(before, now, 3).ok());
}

}  // namespace
}  // namespace drywarp::sweep
