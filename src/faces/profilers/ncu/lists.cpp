// --list-sections, --list-sets, --list-chips, --list-metrics, --query-metrics.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "base/device/device_spec.h"
#include "faces/profilers/ncu/catalogue.h"
#include "profile/metrics/rollups.h"
#include "profile/report/writers/layout.h"

namespace drywarp::profilers::ncu {
namespace {

std::string bar(size_t width) { return std::string(width, '-'); }

std::string rule(std::initializer_list<size_t> widths) {
  std::string line;
  for (const size_t w : widths) line += (line.empty() ? "" : " ") + bar(w);
  return line;
}

// A set's metrics that drywarp computes.
size_t metrics_of(std::string_view id) {
  const std::vector<std::string> sets = {std::string(id)};
  const auto sections = select_sections({}, sets);
  std::set<std::string_view> names;
  if (sections)
    for (const Section* s : *sections)
      for (const Row& row : s->rows())
        if (const auto* m = metrics::find_metric(row.metric); m && m->has_values()) names.insert(row.metric);
  return names.size();
}

// One line of --query-metrics.
struct Queried {
  std::string name, type, unit, description;
};

std::string type_of(std::string_view base, std::string_view rollup) {
  if (base.find("throughput") != std::string_view::npos) return "Throughput";
  return rollup.starts_with("ratio") || rollup.starts_with("pct") || rollup.starts_with("max_rate") ? "Ratio"
                                                                                                    : "Counter";
}

std::string described(const metrics::Metric& m) {
  std::string text(m.description.empty() && m.counter ? m.counter->description : m.description);
  if (m.klass == metrics::MetricClass::NotAvailable) text += fmt::format(" (n/a: {})", m.reason);
  if (m.klass == metrics::MetricClass::Modelled) text += " (modelled)";
  return text;
}

void write(std::ostream& out, const std::string& chip, const std::vector<Queried>& rows) {
  constexpr size_t kType = 15, kUnit = 15, kDescription = 70;
  size_t name = 11;
  for (const Queried& q : rows) name = std::max(name, q.name.size());
  const std::string line = rule({name, kType, kUnit, kDescription});
  const auto row = [&](std::string_view n, std::string_view t, std::string_view u, std::string_view d) {
    out << fmt::format("{:<{}} {:<{}} {:<{}} {:<{}}\n", n, name, t, kType, u, kUnit, d, kDescription);
  };
  out << "Chip " << chip << '\n' << line << '\n';
  row("Metric Name", "Metric Type", "Metric Unit", "Metric Description");
  out << line << '\n';
  for (const Queried& q : rows) {
    bool first = true;
    for (const std::string& text : report::wrapped(q.description, kDescription)) {
      row(first ? q.name : "", first ? q.type : "", first ? q.unit : "", text);
      first = false;
    }
    if (first) row(q.name, q.type, q.unit, "");
  }
}

}  // namespace

void list_sections(std::ostream& out) {
  std::vector<const Section*> sorted;
  for (const Section& s : all_sections()) sorted.push_back(&s);
  std::ranges::sort(sorted, {}, [](const Section* s) { return s->id; });
  size_t id = 10, title = 12, file = 8;
  constexpr std::string_view kFile = "(built in)";
  for (const Section* s : sorted) id = std::max(id, s->id.size()), title = std::max(title, s->title.size());
  file = std::max(file, kFile.size());
  const std::string line = rule({id, title, 7, file});
  out << line << '\n'
      << fmt::format("{:<{}} {:<{}} {:<7} {:<{}}\n", "Identifier", id, "Display Name", title, "Enabled", "Filename",
                     file)
      << line << '\n';
  const auto basic = select_sections({}, {});
  for (const Section* s : sorted) {
    const bool enabled = basic && std::ranges::find(*basic, s) != basic->end();
    out << fmt::format("{:<{}} {:<{}} {:<7} {:<{}}\n", s->id, id, s->title, title, enabled ? "yes" : "no", kFile, file);
  }
}

void list_sets(std::ostream& out) {
  constexpr size_t kId = 10, kSections = 75, kEnabled = 7, kMetrics = 17;
  const std::string line = rule({kId, kSections, kEnabled, kMetrics});
  const auto row = [&](std::string_view id, std::string_view sections, std::string_view enabled,
                       const std::string& metrics) {
    out << fmt::format("{:<{}} {:<{}} {:<{}} {:<{}}\n", id, kId, sections, kSections, enabled, kEnabled, metrics,
                       kMetrics);
  };
  out << line << '\n';
  row("Identifier", "Sections", "Enabled", "Estimated Metrics");
  out << line << '\n';
  for (const Set& set : all_sets()) {
    row(set.id, set.sections.substr(0, kSections), set.id == "basic" ? "yes" : "no",
        std::to_string(metrics_of(set.id)));
    for (size_t at = kSections; at < set.sections.size(); at += kSections)
      row("", set.sections.substr(at, kSections), "", "");
  }
}

void list_chips(std::ostream& out) { out << fmt::format("{}\n", fmt::join(device::device_ids(), ", ")); }

void list_metrics(std::ostream& out, std::span<const Section* const> sections) {
  std::set<std::string_view> names;
  for (const Section* s : sections)
    for (const Row& row : s->rows()) names.insert(row.metric);
  for (const std::string_view name : names) out << name << '\n';
}

std::span<const std::string_view> their_chips() {
  static constexpr std::string_view kChips[] = {"ad102", "ad103", "ad104", "ad106", "ad107", "ga100", "ga102",
                                                "ga103", "ga104", "ga106", "ga107", "ga10b", "gb100", "gb102",
                                                "gb10b", "gb110", "gb202", "gb203", "gb205", "gb206", "gb207",
                                                "gb20b", "gh100", "tu102", "tu104", "tu106", "tu116", "tu117"};
  return kChips;
}

Result<std::vector<std::string>> select_chips(const std::string& list) {
  std::set<std::string> chips;
  std::istringstream in(list);
  for (std::string each; std::getline(in, each, ',');) {
    const bool chip = std::ranges::find(their_chips(), each) != their_chips().end();
    if (!chip && (each.empty() || !device::load_device(each)))
      return error(fmt::format("'{}': there is no chip or device of that name", each), "--list-chips has the devices");
    chips.insert(each);
  }
  if (chips.empty()) return error("names no chip", "--list-chips has the devices");
  return std::vector<std::string>(chips.begin(), chips.end());
}

Result<QueryMode> parse_query_mode(std::string_view text) {
  if (text == "base") return QueryMode::Base;
  if (text == "suffix") return QueryMode::Suffix;
  if (text == "all") return QueryMode::All;
  return error(fmt::format("there is no mode '{}'", text), "the modes are base, suffix and all");
}

Status query_metrics(std::ostream& out, const std::string& chip, QueryMode mode, std::string_view bases) {
  std::set<std::string, std::less<>> wanted;
  std::istringstream in{std::string(bases)};
  for (std::string each; std::getline(in, each, ',');)
    if (!each.empty()) wanted.insert(each);
  if (mode == QueryMode::Suffix && wanted.empty())
    return error("--query-metrics-mode suffix needs the metrics", "--metrics dram__bytes,sm__inst_executed");
  std::vector<Queried> rows;
  std::set<std::string, std::less<>> found;
  for (const metrics::Selected& s : metrics::compute_names()) {
    const metrics::SplitName split = metrics::split_rollup(s.name);
    const std::string base(split.base);
    if (mode == QueryMode::Suffix && !wanted.contains(base)) continue;
    if (mode == QueryMode::Base && found.contains(base)) continue;
    found.insert(base);
    const bool whole = mode != QueryMode::Base || split.rollup.empty();
    const metrics::Metric& m = !whole && s.metric->counter ? *s.metric->counter : *s.metric;
    rows.push_back({whole ? std::string(s.name) : base, type_of(split.base, split.rollup),
                    unit_of({whole ? std::string(s.name) : base, &m}), described(m)});
  }
  for (const std::string& name : wanted)
    if (mode == QueryMode::Suffix && !found.contains(name))
      return error(fmt::format("there is no metric '{}'", name), "--query-metrics lists the metrics without suffixes");
  write(out, chip, rows);
  if (mode == QueryMode::Base)
    out << "==PROF== Note that these metrics must be appended with a valid suffix before profiling them. See --help "
           "for "
           "more information on --query-metrics-mode.\n";
  return {};
}

}  // namespace drywarp::profilers::ncu
