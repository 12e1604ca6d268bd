// Selection of metrics by name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/support/glob.h"
#include "base/support/near_names.h"
#include "profile/metrics/evaluate.h"
#include "profile/metrics/rollups.h"

namespace drywarp::metrics {
namespace {

const std::unordered_map<std::string_view, const Metric*>& by_name() {
  static const auto index = [] {
    std::unordered_map<std::string_view, const Metric*> names;
    for (const Metric& m : all_metrics()) {
      names.emplace(m.name, &m);
      if (!m.alias.empty()) names.emplace(m.alias, &m);
    }
    return names;
  }();
  return index;
}

std::vector<std::string_view> nearest(std::string_view wanted) {
  const size_t limit = std::max<size_t>(2, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const auto& [name, metric] : by_name()) {
    const bool inside = wanted.size() >= 3 && name.find(wanted) != std::string_view::npos;
    if (inside)
      ranked.emplace_back(1, name);
    else if (const size_t distance = edit_distance(wanted, name, limit); distance <= limit)
      ranked.emplace_back(distance, name);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string_view> names;
  for (size_t i = 0; i < std::min<size_t>(3, ranked.size()); ++i) names.push_back(ranked[i].second);
  return names;
}

std::vector<Selected> matching(std::string_view pattern) {
  std::vector<Selected> with_values, without;
  for (const Metric& m : all_metrics())
    for (const std::string_view name : {m.name, m.alias})
      if (!name.empty() && matches_glob(pattern, name)) (m.formula ? with_values : without).push_back({&m, name});
  return with_values.empty() ? without : with_values;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

}  // namespace

const Metric* find_metric(std::string_view name) {
  const auto found = by_name().find(name);
  return found == by_name().end() ? find_rollup(name) : found->second;
}

std::vector<Selected> available(bool both_names) {
  std::vector<Selected> chosen;
  for (const Metric& m : all_metrics()) {
    if (!m.formula) continue;
    chosen.push_back({&m, m.name});
    if (both_names && !m.alias.empty()) chosen.push_back({&m, m.alias});
  }
  return chosen;
}

Result<std::vector<Selected>> select(std::string_view list) {
  std::vector<Selected> chosen;
  std::unordered_set<std::string_view> seen;
  const auto add = [&](Selected s) {
    if (seen.insert(s.name).second) chosen.push_back(s);
  };
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view item = trimmed(list.substr(begin, end - begin));
    begin = end + 1;
    if (item.empty()) continue;
    if (item == "all") {
      for (const Selected& s : available(false)) add(s);
    } else if (item.find_first_of("*?") != std::string_view::npos) {
      const auto found = matching(item);
      if (found.empty()) return error(fmt::format("no metric matches '{}'", item), "--query-metrics lists the metrics");
      for (const Selected& s : found) add(s);
    } else if (const auto found = by_name().find(item); found != by_name().end()) {
      add({found->second, found->first});
    } else if (const Metric* rollup = find_rollup(item)) {
      add({rollup, rollup->name});
    } else {
      const auto near = nearest(item);
      return error(
          fmt::format("there is no metric '{}'", item),
          near.empty() ? "--query-metrics lists the metrics" : fmt::format("did you mean {}?", fmt::join(near, ", ")));
    }
  }
  if (chosen.empty()) return error("the list of metrics is empty", "--query-metrics lists the metrics");
  return chosen;
}

}  // namespace drywarp::metrics
