// nvprof's --metrics and --query-metrics, and docs/metrics.md.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/json.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using metrics::Metric;
using metrics::MetricClass;
using enum Table::Align;

std::string meaning(const Metric& m) {
  std::string text(m.description);
  if (m.klass == MetricClass::NotAvailable) text += fmt::format(" (not available: {})", m.reason);
  return text;
}

void write_list_text(std::ostream& out, const ReportOptions& options) {
  const Style style{options.colour};
  for (unsigned g = 0; g < metrics::kGroups; ++g) {
    out << (g == 0 ? "" : "\n") << style.bold(metrics::title(static_cast<metrics::Group>(g))) << '\n';
    Table table({Left, Left, Left, Left}, 2, 0);
    for (const Metric& m : metrics::all_metrics()) {
      if (m.group != static_cast<metrics::Group>(g)) continue;
      table.row({std::string(m.name), std::string(m.unit), metrics::name(m.klass), meaning(m)});
      if (!m.alias.empty()) table.row({"  = " + std::string(m.alias)});
    }
    table.print(out, style);
  }
}

void write_list_csv(std::ostream& out, const ReportOptions&) {
  const auto quoted = [](std::string_view s) {
    std::string q = "\"";
    for (const char c : s) q += c == '"' ? std::string("\"\"") : std::string(1, c);
    return q + '"';
  };
  out << "Metric Name,Alias,Group,Unit,Class,Description,Reason\n";
  for (const Metric& m : metrics::all_metrics())
    out << fmt::format("{},{},{},{},{},{},{}\n", m.name, m.alias, quoted(metrics::title(m.group)), m.unit,
                       metrics::name(m.klass), quoted(m.description), quoted(m.reason));
}

void write_list_json(std::ostream& out, const ReportOptions&) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Metric& m : metrics::all_metrics())
    list.push_back({{"name", m.name},
                    {"alias", m.alias.empty() ? Json() : Json(m.alias)},
                    {"group", metrics::title(m.group)},
                    {"unit", m.unit},
                    {"class", metrics::name(m.klass)},
                    {"description", m.description},
                    {"reason", m.reason.empty() ? Json() : Json(m.reason)}});
  out << Json{{"drywarp_metrics", kJsonVersion}, {"metrics", std::move(list)}}.dump(2) << '\n';
}

constexpr OutputFormat<ReportOptions> kListFormats[] = {
    {"text", true, write_list_text}, {"csv", false, write_list_csv}, {"json", false, write_list_json}};
constexpr Formats<ReportOptions> kListTable("the list of metrics", "format", kListFormats);

// One table, so that the columns of all kernels line up.
void write_kernel_metrics(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  constexpr size_t kWidest = 28;  // of a name beside its values; a longer one has a line of its own
  Table table({Left, Right, Right, Right, Left, Left, Right, Left}, 2, options.width);
  table.may_drop({7, 6});
  table.head({"Metric", "Avg", "Min", "Max", "Unit", "Class", "Launches", "Meaning"});
  for (const KernelModel& kernel : model.kernels) {
    table.line(style.bold(cut(short_name(kernel.name), options.width == 0 ? kernel.name.size() : options.width)));
    for (size_t i = 0; i < model.selection.size(); ++i) {
      const Metric& m = *model.selection[i].metric;
      const metrics::Spread& spread = kernel.spreads[i];
      const auto value = [&](double v) {
        return spread.launches == 0 ? std::string("n/a") : scales(m.unit) ? readable_value(v, m.unit) : readable(v);
      };
      std::string name(model.selection[i].name);
      if (options.width != 0 && name.size() > kWidest) table.line("  " + std::exchange(name, ""));
      table.row({std::move(name), value(spread.avg()), value(spread.min), value(spread.max),
                 scales(m.unit) ? "" : std::string(m.unit), metrics::name(m.klass_from(kernel.registers_from)),
                 fmt::format("{}", m.klass == MetricClass::NotAvailable ? kernel.calls : spread.launches),
                 std::string(m.description)});
    }
  }
  table.print(out, style);
}

std::string markdown(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '|' || c == '<' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

void write_metric_table(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const record::Profile& profile = *model.profile;
  out << note("Profiled: " + profile.program, options.width) << '\n'
      << note("Metrics as on " + profile.device + (options.launches ? ", of each launch" : ", over the launches"),
              options.width)
      << '\n';
  std::map<std::string_view, std::string_view> reasons;
  for (const metrics::Selected& s : model.selection)
    if (s.metric->klass == MetricClass::NotAvailable) reasons[s.name] = s.metric->reason;
  if (model.kernels.empty()) {
    out << "No kernels were launched.\n";
  } else if (options.launches) {
    write_launch_metrics(out, model, options);
  } else {
    write_kernel_metrics(out, model, options);
  }
  for (const auto& [name, reason] : reasons)
    out << note(fmt::format("{}: not available: {}", name, reason), options.width) << '\n';
}

const Formats<ReportOptions>& metric_list_formats() { return kListTable; }

Status write_metric_list(std::ostream& out, const ReportOptions& options) {
  const auto format = kListTable.find(options.format);
  if (!format) return format.problem();
  (*format)->write(out, options);
  return {};
}

void write_metric_page(std::ostream& out) {
  out << R"(# Metrics

Made from `src/profile/metrics/metrics.def` by `DRYWARP_ACCEPT=1 test_profile_report`; `drywarp profile --query-metrics` lists the same.

A metric has nvprof's name if nvprof has the metric, else a name of drywarp; a second name is Nsight Compute's for the same
quantity. Both names select it. Its class says how far to trust it:

- **exact**: a count of the PTX's accesses and instructions that its definition fixes, or a ratio of such counts.
- **modelled**: a quantity that hardware counts on machine instructions and drywarp on PTX (branches, active threads,
  floating-point operations), or an estimate (registers, local memory, conflicts without arbitration).
- **not available**: listed with the reason. It has no value, and never a zero.

Metrics of PTX instructions start with `ptx__`: one PTX instruction may be several machine instructions, or none. Machine
instructions (`smsp__inst_executed.sum`) are modelled together with the times, on the lowered code.

Sectors and wavefronts follow the rules of an H200; tests compare them with its counters on the patterns in
`tests/golden/hardware/access_patterns.csv`. They count the PTX's accesses: if ptxas merges neighbouring accesses into wider
ones, or removes some, the hardware counts fewer. Loads and stores count in `gld_*` and `gst_*`, atomics in `atomic_*`.
On devices before compute capability 5.0 wavefronts follow the CUDA C Programming Guide's rules for their banks
([explain.md](explain.md#older-devices)), with other ideals: on 1.x 2 (one per half-warp) times the words of a thread; on 3.x 1 at
up to 64 bits and 2 at 128. A wavefront can deliver 64 bytes on 1.x and 256 on 3.x. Sectors have 32 bytes on every device;
reports say where the device moves other units.
In a kernel with atomics the hardware's `smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct` includes them (25 % instead
of 100 % for a coalesced histogram on an H200); `gld_efficiency` covers the loads only.
An asynchronous copy (`cp.async`) counts as a global load and a shared store; the hardware counts it separately (`op_ldgsts`).
Nsight Compute's other roll-ups of these counters are found by name too: `dram__bytes.sum.per_second`,
`l1tex__t_sectors_pipe_lsu_mem_global_op_ld.avg`, `smsp__inst_executed.avg.pct_of_peak_sustained_active`. They are computed from the row,
the number of units and the modelled time, so they are modelled. drywarp counts for the whole GPU: the `.min` and `.max` over its
units, and averages over L2 slices and DRAM channels, are not available.

A value is missing (`null`, `-`) where it does not apply, like the efficiency of loads in a kernel without loads. An excess is
the sectors or wavefronts above the ideal, summed over instructions: an instruction below the ideal, by broadcasts, does not
hide the waste of another.
)";
  for (unsigned g = 0; g < metrics::kGroups; ++g) {
    out << "\n## " << metrics::title(static_cast<metrics::Group>(g))
        << "\n\n| name | unit | class | meaning |\n|---|---|---|---|\n";
    for (const Metric& m : metrics::all_metrics()) {
      if (m.group != static_cast<metrics::Group>(g)) continue;
      out << fmt::format("| `{}`{} | {} | {} | {} |\n", m.name, m.alias.empty() ? "" : fmt::format("<br>`{}`", m.alias),
                         m.unit, metrics::name(m.klass), markdown(meaning(m)));
    }
  }
}

}  // namespace drywarp::report
