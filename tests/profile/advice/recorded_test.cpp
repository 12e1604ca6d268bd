// The rules on counters that an H200 recorded: which fire on which kernel. Lines are not known there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "advised.h"
#include "profile/advice/recorded.h"

namespace drywarp::advice {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  }
  return out;
}

// "(16, 16, 1)" -> 256
double extent_of(const std::string& cell) {
  double product = 1;
  for (size_t at = cell.find_first_of("0123456789"); at != cell.npos; at = cell.find_first_of("0123456789", at)) {
    size_t end = 0;
    product *= std::stod(cell.substr(at), &end);
    at += end;
  }
  return product;
}

// The counters of bench/accuracy/data/h200-ladder.csv, by case, at size 2048.
std::map<std::string, Facts> ladder() {
  std::ifstream in(DRYWARP_SOURCE_DIR "/bench/accuracy/data/h200-ladder.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  std::map<std::string, Facts> all;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != head.size() || row[1] != "2048") continue;
    MetricFacts facts;
    for (size_t i = 2; i < row.size(); ++i) {
      double value = 0;
      const auto [end, problem] = std::from_chars(row[i].data(), row[i].data() + row[i].size(), value);
      if (problem == std::errc() && end == row[i].data() + row[i].size()) facts.values[head[i]] = value;
    }
    facts.values["launch__block_size"] = extent_of(row[3]), facts.values["launch__grid_size"] = extent_of(row[4]);
    facts.values["device__attribute_multiprocessor_count"] = 132;
    Facts& known = all[row[0]];
    known.metric = recorded_metrics(facts.facts().metric);
    known.limiter = read_facts(known.metric);
  }
  return all;
}

// A case fires a rule, or is told nothing of the kind.
struct Expected {
  const char* rule;
  std::vector<const char*> fires;
};

TEST(RecordedCounters, TheRulesFireOnTheKernelsThatHaveTheCost) {
  const auto all = ladder();
  ASSERT_GT(all.size(), 30u);
  const Expected expected[] = {
      {"uncoalesced",
       {"mm_uncoal32", "red_neighbored_less", "tr_naive_read", "tr_naive_write", "tr_naive_read16", "copy_st8",
        "copy_st32", "chase1w", "chase8w"}},
      {"partial_warps", {}},
      {"block_size", {}},
      {"local_arrays", {}},
      {"divergence", {"div_oddeven", "div_trip", "red_neighbored"}},
      {"small_grid", {}},
      {"low_occupancy", {"chase1w"}},
      {"bank_conflicts", {"tr_shared", "bank_2", "bank_8", "bank_32"}},
  };
  for (const Expected& e : expected)
    for (const auto& [name, facts] : all) {
      const bool should =
          std::ranges::find(e.fires, name, [](const char* s) { return std::string(s); }) != e.fires.end();
      const std::vector<std::string> fired = keys(advise(facts));
      if (should)
        EXPECT_THAT(fired, Contains(e.rule)) << name;
      else
        EXPECT_THAT(fired, Not(Contains(e.rule))) << name;
    }
}

}  // namespace
}  // namespace drywarp::advice
