#include "faces/profilers/nvprof/counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/support/near_names.h"
#include "faces/profilers/nvprof/numbers.h"
#include "faces/profilers/nvprof/table.h"
#include "faces/profilers/nvprof/timeline.h"
#include "profile/report/model/model.h"

namespace drywarp::profilers::nvprof {
namespace {

struct KnownCounter {
  std::string_view name;
  ValueForm form{};
  std::string_view description, metric;
};

constexpr KnownCounter kMetrics[] = {
#define DW_NVPROF_METRIC(name, form, description) {name, ValueForm::form, description, name},
#define DW_NVPROF_METRIC_FROM(name, form, description, metric) {name, ValueForm::form, description, metric},
#include "faces/profilers/nvprof/metrics.def"
};
constexpr KnownCounter kEvents[] = {
#define DW_NVPROF_EVENT(name, description) {name, ValueForm::Count, description, name},
#define DW_NVPROF_EVENT_FROM(name, description, metric) {name, ValueForm::Count, description, metric},
#include "faces/profilers/nvprof/events.def"
};

Counter counter_of(const KnownCounter& known) {
  const metrics::Metric* metric = metrics::find_metric(known.metric);
  return {known.name, std::string(known.description), known.form, metric && metric->has_values() ? metric : nullptr};
}

std::vector<Counter> counters_of(std::span<const KnownCounter> known) {
  std::vector<Counter> all;
  for (const KnownCounter& k : known) all.push_back(counter_of(k));
  return all;
}

// The form of a metric that nvprof does not have.
ValueForm form_of(const metrics::Metric& metric, std::string_view name) {
  if (metric.unit == "%") return ValueForm::Percent;
  if (metric.unit == "byte/s") return ValueForm::Rate;
  const bool whole = metric.klass == metrics::MetricClass::Exact || name.ends_with(".sum");
  return whole && metric.unit.find('/') == std::string_view::npos ? ValueForm::Count : ValueForm::Ratio;
}

Counter counter_of(const metrics::Selected& selected) {
  const metrics::Metric& metric = *selected.metric;
  return {selected.name, std::string(metric.title()), form_of(metric, selected.name),
          metric.has_values() ? &metric : nullptr};
}

std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> all;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    std::string word(list.substr(begin, end - begin));
    std::erase(word, ' ');
    if (!word.empty()) all.push_back(std::move(word));
    begin = end + 1;
  }
  return all;
}

std::string level(double percent) {
  // nvprof's scale of 0 to 10: idle, low, mid, high, max.
  const int value = std::clamp(int(std::ceil(percent / 10 - 1e-9)), 0, 10);
  constexpr std::array<const char*, 11> names = {"Idle", "Low",  "Low",  "Low",  "Mid", "Mid",
                                                 "Mid",  "High", "High", "High", "Max"};
  return fmt::format("{} ({})", names[size_t(value)], value);
}

template <class Find>
Result<std::vector<Counter>> select(std::string_view list, std::span<const KnownCounter> known, const char* what,
                                    Find&& find_other) {
  std::vector<Counter> chosen;
  for (const std::string& word : words(list)) {
    const auto found = std::ranges::find(known, word, &KnownCounter::name);
    if (word == "all") {
      for (Counter& c : counters_of(known)) chosen.push_back(std::move(c));
    } else if (found != known.end()) {
      chosen.push_back(counter_of(*found));
    } else {
      Result<std::vector<Counter>> others = find_other(word);
      if (!others) return others.problem();
      for (Counter& c : *others) chosen.push_back(std::move(c));
    }
  }
  if (chosen.empty())
    return error(fmt::format("the list of {}s is empty", what), fmt::format("--query-{}s lists them", what));
  return chosen;
}

}  // namespace

std::string Counter::why_not() const {
  if (metric) return {};
  const metrics::Metric* row = metrics::find_metric(name);
  return row && !row->reason.empty() ? std::string(row->reason) : "drywarp does not count it";
}

std::vector<Counter> all_metrics() { return counters_of(kMetrics); }
std::vector<Counter> all_events() {
  std::vector<Counter> all = counters_of(kEvents);
  for (Counter& c : all) c.event = true;
  return all;
}

Result<std::vector<Counter>> select_metrics(std::string_view list) {
  return select(list, kMetrics, "metric", [](const std::string& word) -> Result<std::vector<Counter>> {
    auto selected = metrics::select(word);
    if (!selected) return selected.problem();
    std::vector<Counter> others;
    for (const metrics::Selected& s : *selected) others.push_back(counter_of(s));
    return others;
  });
}

Result<std::vector<Counter>> select_events(std::string_view list) {
  auto chosen = select(list, kEvents, "event", [](const std::string& word) -> Result<std::vector<Counter>> {
    std::vector<std::string> names;
    for (const KnownCounter& k : kEvents) names.emplace_back(k.name);
    names = nearest_first(word, std::move(names));
    names.resize(3);
    return error(fmt::format("there is no event '{}'", word), fmt::format("did you mean {}?", fmt::join(names, ", ")));
  });
  if (chosen)
    for (Counter& c : *chosen) c.event = true;
  return chosen;
}

CounterValues values_of(const record::Profile& profile, std::span<const ScopedCounter> counters, bool demangle) {
  CounterValues out;
  report::ModelOptions options;
  options.lines = false;
  std::vector<size_t> place;  // of a counter's value in the model; past the end: it has none
  for (const ScopedCounter& c : counters) {
    out.counters.push_back(c.counter);
    place.push_back(c.counter.metric ? options.selection.size() : SIZE_MAX);
    if (c.counter.metric) options.selection.push_back({c.counter.metric, c.counter.name});
  }
  const report::ReportModel model = report::build_model(profile, options);
  std::map<std::string, uint64_t> invocations;
  for (const report::LaunchModel& launch : model.launches) {
    if (!launch.record->counted) continue;
    const std::string& name = launch.info->display_name;
    const uint64_t invocation = ++invocations[launch.info->name];
    LaunchValues values{launch.record, kernel_name(*launch.info, demangle), {}, {}};
    for (size_t i = 0; i < counters.size(); ++i) {
      const bool in =
          !counters[i].scope || counters[i].scope->matches(name, stream_number(launch.record->stream), invocation);
      values.in_scope.push_back(in);
      values.values.push_back(in && place[i] != SIZE_MAX ? launch.values[place[i]] : std::nullopt);
    }
    out.launches.push_back(std::move(values));
  }
  return out;
}

std::string format_value(ValueForm form, std::optional<double> value, bool csv) {
  if (!value) return "n/a";
  switch (form) {
    case ValueForm::Count:
      return fmt::format("{:.0f}", *value);
    case ValueForm::Ratio:
      return fmt::format("{:f}", *value);
    case ValueForm::Share:
      return fmt::format("{:f}", *value / 100);
    case ValueForm::Percent:
      return csv ? fmt::format("{:f}%", *value) : fmt::format("{:.2f}%", *value);
    case ValueForm::Rate: {
      const Unit unit = unit_for(Quantity::Rate, *value);
      return csv ? fmt::format("{:f}{}", *value / unit.scale, unit.name) : readable_rate(*value);
    }
    case ValueForm::Level:
      return csv ? in_quotes(level(*value)) : level(*value);
  }
  return {};
}

}  // namespace drywarp::profilers::nvprof
