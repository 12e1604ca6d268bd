// The rules on counters that an H200 recorded: which fire on which kernel. Lines are not known there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include "advised.h"

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

// The counters of bench/accuracy/data/h200-ladder.csv, by case, at size 2048.
std::map<std::string, MetricFacts> ladder() {
  std::ifstream in(DRYWARP_SOURCE_DIR "/bench/accuracy/data/h200-ladder.csv");
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> head = cells(line);
  std::map<std::string, MetricFacts> all;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != head.size() || row[1] != "2048") continue;
    MetricFacts& facts = all[row[0]];
    for (size_t i = 2; i < row.size(); ++i) {
      double value = 0;
      const auto [end, problem] = std::from_chars(row[i].data(), row[i].data() + row[i].size(), value);
      if (problem == std::errc() && end == row[i].data() + row[i].size()) facts.values[head[i]] = value;
    }
    // Roll-ups that the recording lacks.
    for (const char* op : {"ld", "st"}) {
      const std::string base = "l1tex__t_", pipe = std::string("_pipe_lsu_mem_global_op_") + op;
      const double requests = facts.values[base + "requests" + pipe + ".sum"];
      if (requests > 0)
        facts.values["l1tex__average_t_sectors_per_request" + pipe + ".ratio"] =
            facts.values[base + "sectors" + pipe + ".sum"] / requests;
    }
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
      {"bank_conflicts", {"tr_shared", "bank_2", "bank_8", "bank_32"}},
  };
  for (const Expected& e : expected)
    for (const auto& [name, facts] : all) {
      const bool should =
          std::ranges::find(e.fires, name, [](const char* s) { return std::string(s); }) != e.fires.end();
      const std::vector<std::string> fired = keys(advise(facts.facts()));
      if (should)
        EXPECT_THAT(fired, Contains(e.rule)) << name;
      else
        EXPECT_THAT(fired, Not(Contains(e.rule))) << name;
    }
}

}  // namespace
}  // namespace drywarp::advice
