#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sweep/plan/search.h"
#include "sweep/views/views.h"

namespace drywarp::sweep {
namespace {

std::map<std::string, std::vector<const Row*>> complete_by_group(const Sweep& sweep) {
  std::map<std::string, std::vector<const Row*>> groups;
  for (const Row& row : sweep.rows)
    if (is_complete(sweep, row)) groups[group_of(sweep.description, row.configuration)].push_back(&row);
  for (auto& [name, rows] : groups)
    std::ranges::stable_sort(rows, {}, [](const Row* r) { return *r->measurement->seconds; });
  return groups;
}

// Whether `a` is at least as good in everything and better in something.
bool dominates(const Measurement& a, const Measurement& b) {
  const double occupancy_a = a.occupancy.value_or(0), occupancy_b = b.occupancy.value_or(0);
  const uint32_t registers_a = a.registers.value_or(0), registers_b = b.registers.value_or(0);
  if (*a.seconds > *b.seconds || occupancy_a < occupancy_b || registers_a > registers_b) return false;
  return *a.seconds < *b.seconds || occupancy_a > occupancy_b || registers_a < registers_b;
}

}  // namespace

bool is_complete(const Sweep& sweep, const Row& row) {
  return row.measurement && row.measurement->outcome == Outcome::Ok && row.measurement->seconds &&
         row.measurement->stage == stages(sweep.description.search).back();
}

std::vector<Best> best_rows(const Sweep& sweep) {
  std::vector<Best> all;
  for (const auto& [group, rows] : complete_by_group(sweep))
    all.push_back({group, rows[0], rows.size(), rows.size() > 1 ? rows[1] : nullptr});
  return all;
}

std::vector<const Row*> pareto_front(const Sweep& sweep) {
  std::vector<const Row*> front;
  for (const auto& [group, rows] : complete_by_group(sweep))
    for (const Row* row : rows)
      if (std::ranges::none_of(rows,
                               [&](const Row* other) { return dominates(*other->measurement, *row->measurement); }))
        front.push_back(row);
  return front;
}

Result<std::vector<Regression>> slower_than(const Sweep& baseline, const Sweep& sweep, double percent) {
  std::map<std::string, double> now;
  for (const Best& best : best_rows(sweep)) now[best.group] = *best.row->measurement->seconds;
  std::vector<Regression> slower;
  const auto before = best_rows(baseline);
  if (before.empty()) return error("the baseline has no row with a time", "let its sweep end");
  for (const Best& best : before) {
    const auto found = now.find(best.group);
    if (found == now.end())
      return error(best.group.empty() ? std::string("the sweep has no row with a time")
                                      : fmt::format("the sweep has no time for {}", best.group),
                   "compare sweeps of the same devices and sizes");
    const double seconds = *best.row->measurement->seconds;
    if (found->second > seconds * (1 + percent / 100)) slower.push_back({best.group, seconds, found->second});
  }
  return slower;
}

}  // namespace drywarp::sweep
