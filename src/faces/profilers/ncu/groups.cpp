#include "faces/profilers/ncu/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "faces/profilers/ncu/catalogue.h"
#include "profile/metrics/rollups.h"

namespace drywarp::profilers::ncu {
namespace {

struct Group {
  std::string_view name, metrics;  // comma-separated
};
#define DW_GROUP(name, metrics) {name, metrics},
constexpr Group kGroups[] = {
#include "faces/profilers/ncu/groups.def"
};
#define DW_BREAKDOWN(throughput, counters) {throughput, counters},
constexpr Group kBreakdowns[] = {
#include "faces/profilers/ncu/groups.def"
};

constexpr std::string_view kGroup = "group:", kBreakdown = "breakdown:";
constexpr std::string_view kUsualRollup = "avg.pct_of_peak_sustained_elapsed";

std::vector<std::string> members(std::span<const Group> groups, std::string_view name) {
  const auto found = std::ranges::find(groups, name, &Group::name);
  return found == groups.end() ? std::vector<std::string>() : comma_separated(found->metrics);
}

}  // namespace

bool names_group(std::string_view word) { return word.starts_with(kGroup) || word.starts_with(kBreakdown); }

std::vector<std::string> metrics_of_group(std::string_view word) {
  if (word.starts_with(kGroup)) return members(kGroups, word.substr(kGroup.size()));
  const metrics::SplitName throughput = metrics::split_rollup(word.substr(kBreakdown.size()));
  if (throughput.rollup.empty()) return {};
  std::vector<std::string> names = members(kBreakdowns, throughput.base);
  for (std::string& name : names) name += fmt::format(".{}", throughput.rollup);
  return names;
}

std::vector<std::string> group_words() {
  std::vector<std::string> all;
  for (const Group& g : kGroups) all.push_back(fmt::format("{}{}", kGroup, g.name));
  for (const Group& b : kBreakdowns) all.push_back(fmt::format("{}{}.{}", kBreakdown, b.name, kUsualRollup));
  return all;
}

}  // namespace drywarp::profilers::ncu
