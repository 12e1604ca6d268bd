#include "faces/profilers/nvprof/counter_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "faces/profilers/nvprof/table.h"

namespace drywarp::profilers::nvprof {
namespace {

struct CounterRow {
  uint64_t invocations = 0;
  metrics::Spread spread;
};

// A column is as wide as nvprof's, or as its longest word.
size_t width(const std::vector<Counter>& counters, size_t least, size_t room, auto&& text) {
  size_t longest = 0;
  for (const Counter& c : counters) longest = std::max(longest, text(c).size());
  return std::max(least, longest + room);
}

void write_csv(std::ostream& out, const std::string& device, const std::string& kernel, const Counter& c,
               const CounterRow& row, bool events) {
  const auto number = [&](double v) {
    return format_value(c.form, row.spread.launches ? std::optional(v) : std::nullopt, true);
  };
  const double mean = row.spread.launches ? row.spread.sum / double(row.spread.launches) : 0;
  out << fmt::format("{},{},{},{},", in_quotes(device), in_quotes(kernel), row.invocations, in_quotes(c.name));
  if (!events) out << in_quotes(c.description) << ',';
  out << number(row.spread.min) << ',' << number(row.spread.max) << ',' << number(mean);
  if (events) out << ',' << number(row.spread.sum);
  out << '\n';
}

}  // namespace

void write_counters(std::ostream& out, const std::string& device, const CounterValues& values, bool events, bool csv) {
  std::map<std::string, std::vector<CounterRow>> kernels;  // sorted by name, as nvprof does
  for (const LaunchValues& launch : values.launches)
    for (size_t i = 0; i < values.counters.size(); ++i) {
      if (!launch.in_scope[i]) continue;
      auto& rows = kernels[launch.kernel];
      rows.resize(values.counters.size());
      ++rows[i].invocations;
      rows[i].spread.add(launch.values[i]);
    }
  if (kernels.empty()) return void(out << "No events/metrics were profiled.\n");
  if (csv) {
    out << (events ? R"("Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total")"
                   : R"("Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg")")
        << '\n';
    for (const auto& [kernel, rows] : kernels)
      for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].invocations) write_csv(out, device, kernel, values.counters[i], rows[i], events);
    return;
  }
  constexpr size_t kName = 42, kDescription = 42, kValue = 12;
  const size_t name = width(values.counters, kName, 2, [](const Counter& c) { return c.name; });
  const size_t description =
      events ? 0
             : width(values.counters, kDescription, 3, [](const Counter& c) -> const auto& { return c.description; });
  const auto line = [&](std::string_view first, std::string_view second, std::string_view third,
                        const std::vector<std::string>& cells) {
    out << fmt::format("{:>11}{:>{}}{:>{}}", first, second, name, third, description);
    for (const std::string& cell : cells) out << fmt::format("{:>{}}", cell, kValue);
    out << '\n';
  };
  std::vector<std::string> heads = {"Min", "Max", "Avg"};
  if (events) heads.emplace_back("Total");
  line("Invocations", events ? "Event Name" : "Metric Name", events ? "" : "Metric Description", heads);
  out << fmt::format("Device \"{}\"\n", device);
  for (const auto& [kernel, rows] : kernels) {
    out << "    Kernel: " << kernel << '\n';
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].invocations == 0) continue;
      const Counter& c = values.counters[i];
      const metrics::Spread& s = rows[i].spread;
      const auto number = [&](double v) {
        return format_value(c.form, s.launches ? std::optional(v) : std::nullopt, false);
      };
      std::vector<std::string> cells = {number(s.min), number(s.max),
                                        number(s.launches ? s.sum / double(s.launches) : 0)};
      if (events) cells.push_back(number(s.sum));
      line(std::to_string(rows[i].invocations), c.name, events ? std::string_view() : c.description, cells);
    }
  }
}

void write_counter_trace(std::ostream& out, const Timeline& timeline, const CounterValues& values, bool csv) {
  constexpr size_t kKernel = 29, kCorrelation = 8;
  size_t kernel = kKernel;
  for (const LaunchValues& launch : values.launches) kernel = std::max(kernel, launch.kernel.size() + kCorrelation);
  std::vector<Column> columns = {{.head = "Device", .width = 16},
                                 {.head = "Context", .width = 14},
                                 {.head = "Stream", .width = 14},
                                 {.head = "Kernel", .width = kernel}};
  constexpr size_t kLeast = 12;
  for (const Counter& c : values.counters) {
    const std::string head = c.event ? std::string(c.name) : c.description;
    columns.push_back({.head = head, .width = std::max(head.size(), kLeast), .kind = CellKind::Plain});
  }
  columns.push_back({.head = "Correlation_ID", .kind = CellKind::Count, .in = Column::In::Csv});
  std::map<const record::LaunchRecord*, const Activity*> activities;
  for (const Activity& a : timeline.activities) activities[a.launch] = &a;
  Table table(std::move(columns));
  for (const LaunchValues& launch : values.launches) {
    if (std::ranges::none_of(launch.in_scope, [](bool in) { return in; })) continue;
    const auto found = activities.find(launch.launch);
    const auto id = found == activities.end() ? std::nullopt : found->second->correlation;
    std::vector<Cell> row = {Cell::of(device_label(timeline)), Cell::of(std::to_string(kContext)),
                             Cell::of(std::to_string(stream_number(launch.launch->stream))),
                             Cell::of(!csv && id ? fmt::format("{} [{}]", launch.kernel, *id) : launch.kernel)};
    for (size_t i = 0; i < values.counters.size(); ++i)
      row.push_back(Cell::of(launch.in_scope[i] ? format_value(values.counters[i].form, launch.values[i], csv) : ""));
    row.push_back(id ? Cell::of(double(*id)) : Cell{});
    table.row(std::move(row));
  }
  if (table.empty()) return void(out << "No events/metrics were profiled.\n");
  csv ? table.write_csv(out, TimeUnit::Auto) : table.write_text(out, TimeUnit::Auto);
}

void write_counter_list(std::ostream& out, const std::string& device, bool events) {
  out << fmt::format("Available {}:\n{:>32}   Description\nDevice 0 ({}):\n", events ? "Events" : "Metrics", "Name",
                     device);
  if (events) out << "\tDomain domain_a:\n";
  for (const Counter& c : events ? all_events() : all_metrics()) {
    const metrics::Metric* metric = c.metric;
    const std::string text = events || !metric ? c.description : std::string(metric->description);
    const std::string why = c.why_not();
    out << fmt::format("{:>32}:  {}{}\n\n", c.name, text, why.empty() ? "" : fmt::format(" (n/a: {})", why));
  }
}

}  // namespace drywarp::profilers::nvprof
