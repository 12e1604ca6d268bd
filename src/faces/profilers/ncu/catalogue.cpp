#include "faces/profilers/ncu/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/support/near_names.h"
#include "faces/profilers/kernel_filter.h"
#include "faces/profilers/ncu/groups.h"
#include "profile/metrics/rollups.h"

namespace drywarp::profilers::ncu {
namespace {

#define DW_SECTION(id, title) {id, title},
constexpr Section kSections[] = {
#include "faces/profilers/ncu/sections.def"
};
#define DW_ROW(section, label, metric, unit) {section, label, metric, unit},
constexpr Row kRows[] = {
#include "faces/profilers/ncu/sections.def"
};
#define DW_ROW_ALL(section, label, metric, unit) {section, label, metric, unit},
constexpr Row kRowsOfAll[] = {
#include "faces/profilers/ncu/sections.def"
};
#define DW_SET(id, sections) {id, sections},
constexpr Set kSets[] = {
#include "faces/profilers/ncu/sections.def"
};

struct MetricUnit {
  std::string_view name, unit;
};
// Units that are not those of profile/metrics.
#define DW_ROW(section, label, metric, unit) {metric, unit},
constexpr MetricUnit kRowUnits[] = {
#include "faces/profilers/ncu/sections.def"
};
// Words of profile/metrics for which Nsight Compute has others, or none.
struct UnitName {
  std::string_view ours, theirs;
};
constexpr UnitName kUnitNames[] = {{"wavefront", ""},
                                   {"wavefront/cycle", "1/cycle"},
                                   {"wavefront/s", "1/s"},
                                   {"wavefront/request", ""},
                                   {"thread/inst", ""},
                                   {"wave", ""},
                                   {"sector/request", "sector/req"},
                                   {"request", ""},
                                   {"request/cycle", "1/cycle"},
                                   {"request/s", "1/s"},
                                   {"cycle/cycle", ""},
                                   {"warp/cycle", "warp"},
                                   {"branch", "branches"},
                                   {"flop", "inst"},
                                   {"flop/cycle", "inst/cycle"},
                                   {"flop/s", "inst/s"},
                                   {"SM", ""}};
// Ratios of warps are in instructions there.
constexpr std::string_view kStalled = "smsp__average_warps_issue_stalled_";

std::string near(const std::string& wanted, std::vector<std::string> names) {
  names = nearest_first(wanted, std::move(names));
  names.resize(std::min<size_t>(3, names.size()));
  return fmt::format("did you mean {}?", fmt::join(names, ", "));
}

std::vector<std::string> section_ids() {
  std::vector<std::string> ids;
  for (const Section& s : kSections) ids.emplace_back(s.id);
  return ids;
}

Status add_sections(const std::string& wanted, std::vector<bool>& chosen) {
  const Result<NamePattern> pattern = NamePattern::parse(wanted);
  if (!pattern) return pattern.problem();
  bool found = false;
  for (size_t i = 0; i < std::size(kSections); ++i)
    if (pattern->matches(std::string(kSections[i].id))) chosen[i] = found = true;
  if (!found) return error(fmt::format("there is no section '{}'", wanted), near(wanted, section_ids()));
  return {};
}

std::vector<Chosen> known(const std::string& name, bool extra_suffixes) {
  std::vector<Chosen> all;
  const metrics::Metric* metric = metrics::find_metric(name);
  if (metric) return {{name, metric}};
  if (extra_suffixes)
    for (const metrics::Selected& s : metrics::expand_base(name)) all.push_back({std::string(s.name), s.metric});
  return all;
}

std::string nearest_metrics(const std::string& wanted) {
  const std::string base(metrics::split_rollup(wanted).base);
  std::vector<std::string> names;
  for (const metrics::Selected& s : metrics::compute_names()) {
    std::string name(metrics::split_rollup(s.name).base);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return near(base, std::move(names));
}

}  // namespace

std::vector<Row> Section::rows() const {
  std::vector<Row> rows;
  std::ranges::copy_if(kRows, std::back_inserter(rows), [&](const Row& r) { return r.section == id; });
  return rows;
}

std::vector<Row> Section::all_rows() const {
  std::vector<Row> all = rows();
  std::ranges::copy_if(kRowsOfAll, std::back_inserter(all), [&](const Row& r) { return r.section == id; });
  std::ranges::sort(all, {}, &Row::metric);
  return all;
}

std::span<const Section> all_sections() { return kSections; }

std::span<const Set> all_sets() { return kSets; }

std::vector<std::string> comma_separated(std::string_view list) {
  std::vector<std::string> all;
  std::istringstream in{std::string(list)};
  for (std::string word; std::getline(in, word, ',');) {
    std::erase(word, ' ');
    if (!word.empty()) all.push_back(word);
  }
  return all;
}

Result<std::vector<const Section*>> select_sections(std::span<const std::string> sections,
                                                    std::span<const std::string> sets) {
  std::vector<bool> chosen(std::size(kSections), false);
  std::vector<std::string> wanted(sections.begin(), sections.end());
  std::vector<std::string> wanted_sets(sets.begin(), sets.end());
  if (wanted.empty() && wanted_sets.empty()) wanted_sets = {"basic"};
  for (const std::string& set : wanted_sets) {
    const auto* found = std::ranges::find(kSets, set, &Set::id);
    if (found == std::end(kSets)) {
      std::vector<std::string> ids;
      for (const Set& s : kSets) ids.emplace_back(s.id);
      return error(fmt::format("there is no set '{}'", set), fmt::format("the sets are {}", fmt::join(ids, ", ")));
    }
    for (const std::string& id : comma_separated(found->sections)) wanted.push_back(id);
  }
  for (const std::string& each : wanted)
    if (Status status = add_sections(each, chosen); !status) return status.problem();
  std::vector<const Section*> out;
  for (size_t i = 0; i < chosen.size(); ++i)
    if (chosen[i]) out.push_back(&kSections[i]);
  return out;
}

Result<std::vector<Chosen>> select_metrics(std::string_view list, bool extra_suffixes,
                                           std::vector<std::string>& notes) {
  constexpr std::string_view kRegex = "regex:";
  std::vector<Chosen> chosen;
  const auto add = [&](Chosen c) {
    if (std::ranges::find(chosen, c.name, &Chosen::name) == chosen.end()) chosen.push_back(std::move(c));
  };
  const std::vector<std::string> words = comma_separated(list);
  for (const std::string& word : words) {
    if (names_group(word)) {
      const std::vector<std::string> names = metrics_of_group(word);
      if (names.empty())
        notes.push_back(fmt::format("--metrics {} has no metrics; {}", word, near(word, group_words())));
      for (const std::string& name : names) add({name, metrics::find_metric(name)});
    } else if (word.starts_with(kRegex)) {
      const Result<NamePattern> pattern = NamePattern::parse(word);
      if (!pattern) return pattern.problem();
      bool found = false;
      for (const metrics::Selected& s : metrics::compute_names())
        if (s.metric->has_values() && pattern->matches(std::string(s.name)))
          found = true, add({std::string(s.name), s.metric});
      if (!found) notes.push_back(fmt::format("--metrics {} matches no metric that drywarp has", word));
    } else {
      auto found = known(word, extra_suffixes);
      if (found.empty()) {
        notes.push_back(fmt::format("{} is n/a: there is no metric of that name; {}", word, nearest_metrics(word)));
        found = {{word, nullptr}};
      }
      for (Chosen& c : found) add(std::move(c));
    }
  }
  const bool only_groups = !words.empty() && std::ranges::all_of(words, names_group);  // may be empty, as theirs
  if (chosen.empty() && !only_groups) return error("--metrics selects no metric", "--query-metrics lists the metrics");
  std::ranges::sort(chosen, {}, &Chosen::name);
  return chosen;
}

std::string unit_of(const Chosen& chosen) {
  const auto* row = std::ranges::find(kRowUnits, chosen.name, &MetricUnit::name);
  if (row != std::end(kRowUnits)) return std::string(row->unit);
  if (!chosen.metric) return {};
  if (chosen.name.find("__") == std::string::npos) return std::string(chosen.metric->unit);  // nvprof's name
  if (chosen.name.starts_with(kStalled)) return "inst";
  const auto* other = std::ranges::find(kUnitNames, chosen.metric->unit, &UnitName::ours);
  return std::string(other == std::end(kUnitNames) ? chosen.metric->unit : other->theirs);
}

}  // namespace drywarp::profilers::ncu
