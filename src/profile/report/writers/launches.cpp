// A row for each launch: a sweep of sizes or strides is one sum in a row for its kernel.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using enum Table::Align;

// "L2" of "L2 bandwidth", "FMA" of "the FMA pipe".
std::string short_unit(std::string_view key) {
  struct Unit {
    std::string_view key, title;
  };
  static constexpr Unit kUnits[] = {
#define DW_LIMITER_LEVEL(member, metric, key, title, over) {key, title},
#define DW_LIMITER_PIPE(member, metric, key, title, over) {key, title},
#include "profile/advice/limiter_facts.def"
  };
  const auto* unit = std::ranges::find(kUnits, key, &Unit::key);
  if (unit == std::end(kUnits)) return std::string(key);  // a GPU's own unit
  std::string_view title = unit->title;
  if (title.starts_with("the ")) title.remove_prefix(4);
  return std::string(title.substr(0, title.find(' ')));
}

std::string size_text(const record::LaunchRecord& launch) {
  return fmt::format("{} x {}", extent_text(launch.grid), extent_text(launch.block));
}

// Columns beside those that every table of launches has.
struct Columns {
  std::vector<std::string> titles;
  std::vector<size_t> metrics;  // indices into ReportModel::selection
};

std::string value_text(const ReportModel& model, const LaunchModel& launch, size_t i) {
  const metrics::Metric& m = *model.selection[i].metric;
  const bool modelled = m.klass_from(launch.info->resources_from) == metrics::MetricClass::Modelled;
  return launch.values[i] ? (modelled ? "~" : "") + readable_value(launch.values[i], m.unit) : "n/a";
}

Columns efficiencies(const ReportModel& model) {
  static constexpr std::pair<const char*, const char*> kShown[] = {
      {"gld_efficiency", "Load eff"}, {"gst_efficiency", "Store eff"}, {"shared_efficiency", "Shared eff"}};
  Columns columns;
  for (const auto& [name, title] : kShown)
    for (size_t i = 0; i < model.selection.size(); ++i)
      if (model.selection[i].name == name &&
          std::ranges::any_of(model.launches, [&](const LaunchModel& l) { return l.values[i].has_value(); }))
        columns.titles.emplace_back(title), columns.metrics.push_back(i);
  return columns;
}

}  // namespace

std::string limiter_text(const advice::Verdict* verdict) {
  if (!verdict) return "-";
  std::string text = key(verdict->limiter);
  std::ranges::replace(text, '_', ' ');
  const bool one_unit = verdict->limiter == advice::Limiter::Memory || verdict->limiter == advice::Limiter::Compute;
  return one_unit && !verdict->unit.empty() ? text + ": " + short_unit(verdict->unit) : text;
}

void write_launches(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Columns columns = efficiencies(model);
  std::vector<Table::Align> aligns = {Right, Right, Left};
  std::vector<std::string> head = {"Launch", "Time", "Limiter"};
  for (const std::string& title : columns.titles) aligns.push_back(Right), head.push_back(title);
  aligns.insert(aligns.end(), {Left, Left});
  head.insert(head.end(), {"Blocks x threads", "Kernel"});
  Table table(aligns, 1, options.width);
  table.may_drop({2});
  table.head(head);
  for (const LaunchModel& launch : model.launches) {
    const record::LaunchRecord& record = *launch.record;
    std::vector<std::string> cells = {fmt::format("{}", launch.index),
                                      record.time ? readable_seconds(record.time->summary.duration_ns * 1e-9) : "-",
                                      limiter_text(launch.limiter.get())};
    for (const size_t i : columns.metrics) cells.push_back(value_text(model, launch, i));
    cells.push_back(size_text(record));
    cells.push_back(name_in_table(model.kernels[launch.kernel].name));
    table.row(std::move(cells));
  }
  table.print(out, Style{options.colour});
}

void write_launch_metrics(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const size_t width = options.width == 0 ? ~size_t{0} : options.width;
  constexpr size_t kFixed = 27;  // number and size
  for (size_t begin = 0; begin < model.selection.size();) {
    // As many metrics as fit beside the launch.
    size_t end = begin, used = kFixed;
    std::vector<Table::Align> aligns = {Right};
    std::vector<std::string> head = {"Launch"};
    for (; end < model.selection.size(); ++end) {
      size_t widest = display_width(std::string(model.selection[end].name));
      for (const LaunchModel& launch : model.launches)
        widest = std::max(widest, display_width(value_text(model, launch, end)));
      used += widest + 2;
      if (end != begin && used > width) break;
      aligns.push_back(Right), head.emplace_back(model.selection[end].name);
    }
    aligns.insert(aligns.end(), {Left, Left});
    head.insert(head.end(), {"Blocks x threads", "Kernel"});
    Table table(aligns, 1, options.width);
    table.may_drop({aligns.size() - 1, aligns.size() - 2});
    table.head(std::move(head));
    for (const LaunchModel& launch : model.launches) {
      std::vector<std::string> cells = {fmt::format("{}", launch.index)};
      for (size_t i = begin; i < end; ++i) cells.push_back(value_text(model, launch, i));
      cells.push_back(size_text(*launch.record));
      cells.push_back(name_in_table(model.kernels[launch.kernel].name));
      table.row(std::move(cells));
    }
    out << '\n';
    table.print(out, Style{options.colour});
    begin = end;
  }
}

}  // namespace drywarp::report
