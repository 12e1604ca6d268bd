// limiter FILE.csv [--device NAME|FILE]: what limits each launch of a table of counters, by the code for modelled
// launches (src/profile/advice). So the same rules judge a GPU's counters and the model's.
//
// The table: a header with Nsight Compute's column names; an optional second line with units; one launch a line. The
// column `case` (else the first one) names launches. If the table lacks the percentage of the peak of a pipe, it is
// computed from its instructions (sm__inst_executed_pipe_<pipe>.sum) and the device file's issue rates. Prints CSV:
// case, kind, unit, saturated, compute %, memory %, waves, rules that fire.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>

#include "base/device/device_spec.h"
#include "profile/advice/recorded.h"
#include "profile/advice/rules/advise.h"

namespace {

using namespace drywarp;

// RFC 4180, one line: quoted cells may hold commas.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      out.emplace_back();
    else if (c != '\r')
      out.back() += c;
  }
  return out;
}

using Row = std::map<std::string, std::string>;

std::optional<double> number(const Row& row, const std::string& name) {
  const auto cell = row.find(name);
  if (cell == row.end() || cell->second.empty()) return std::nullopt;
  double value = 0;
  const auto [end, problem] = std::from_chars(cell->second.data(), cell->second.data() + cell->second.size(), value);
  return problem == std::errc{} ? std::optional(value) : std::nullopt;
}

// "(8, 32, 1)" -> 256
std::optional<double> count(const Row& row, const std::string& name) {
  const auto cell = row.find(name);
  if (cell == row.end()) return std::nullopt;
  double product = 1;
  bool any = false;
  for (const char *at = cell->second.data(), *end = at + cell->second.size(); at != end; ++at) {
    double side = 0;
    const auto parsed = std::from_chars(at, end, side);
    if (parsed.ec != std::errc{}) continue;
    product *= side, any = true, at = parsed.ptr - 1;
  }
  return any ? std::optional(product) : std::nullopt;
}

// Cycles that a pipe is busy, in percent of the active cycles of all schedulers.
std::optional<double> pipe_percent(const Row& row, const device::DeviceSpec& device, const std::string& column,
                                   std::string_view timing_class) {
  const auto instructions = number(row, column), active = number(row, "sm__cycles_active.avg");
  const auto issue = device.timing.issue_of(timing_class);
  if (!instructions || !active || *active == 0 || !issue) return std::nullopt;
  return 100 * *instructions * *issue / (*active * device.multiprocessors * device.sub_partitions);
}

struct Derived {
  const char *metric, *column, *timing_class;
};
constexpr Derived kDerived[] = {
    {"smsp__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_alu.sum", "alu"},
    {"smsp__inst_executed_pipe_fp16.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_fma_type_fp16.sum",
     "half"},
    {"smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "sm__inst_executed_pipe_xu.sum", "transcendental"},
};

advice::Facts facts_of(const Row& row, const device::DeviceSpec& device) {
  advice::Facts facts;
  facts.metric = advice::recorded_metrics([&](const std::string& name) -> std::optional<double> {
    if (auto value = number(row, name)) return value;
    if (name == "launch__grid_size") return count(row, "grid");
    if (name == "launch__block_size") return count(row, "block");
    if (name == "device__attribute_multiprocessor_count") return device.multiprocessors;
    for (const Derived& d : kDerived)
      if (name == d.metric) return pipe_percent(row, device, d.column, d.timing_class);
    return std::nullopt;
  });
  facts.limiter = advice::read_facts(facts.metric);
  facts.verdict = advice::find_limiter(facts.limiter);
  return facts;
}

int complain(const std::string& what) {
  fmt::print(stderr, "limiter: {}\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path, device_name;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--device" && i + 1 < argc)
      device_name = argv[++i];
    else
      path = argv[i];
  }
  if (path.empty()) return complain("limiter FILE.csv [--device NAME|FILE]");
  const auto device = device::load_device(device_name);
  if (!device) return complain(device.problem().to_string());
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line)) return complain("cannot read " + path);
  const std::vector<std::string> header = cells(line);
  const std::string key = std::ranges::find(header, "case") != header.end() ? "case" : header[0];
  fmt::print("case,kind,unit,saturated,compute_pct,memory_pct,waves,advice\n");
  while (std::getline(in, line)) {
    const std::vector<std::string> values = cells(line);
    Row row;
    for (size_t i = 0; i < std::min(header.size(), values.size()); ++i) row[header[i]] = values[i];
    if (row[key].empty()) continue;
    const advice::Facts facts = facts_of(row, *device);
    const auto& verdict = facts.verdict;
    if (!verdict) {
      fmt::print("{},,,,,,,\n", row[key]);
      continue;
    }
    std::vector<std::string> rules;
    for (const advice::Advice& a : advice::advise(facts)) rules.emplace_back(a.rule->key);
    fmt::print("{},{},{},{},{},{},{},{}\n", row[key], advice::key(verdict->limiter), verdict->unit,
               verdict->saturated ? 1 : 0, *facts.limiter.compute, *facts.limiter.memory,
               facts.limiter.waves.value_or(0), fmt::join(rules, " "));
  }
  return 0;
}
