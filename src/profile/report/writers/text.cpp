#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/writers.h"

namespace drywarp::report {
namespace {

using metrics::Group;
using metrics::MetricClass;
using enum Table::Align;

std::string percent_of(double share) { return readable_percent(100 * share); }

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : strsignal(number);
}

void write_header(std::ostream& out, const ReportModel& model, const Style& style) {
  const record::Profile& p = *model.profile;
  out << "==drywarp== Profiled: " << p.program << "\n";
  out << "==drywarp== Counts as on " << p.device << ". Host times are this machine's.\n";
  if (!p.moves.empty())
    out << fmt::format("==drywarp== Sectors are of 32 bytes, but this GPU moves {}. Modelled times use the latter.\n",
                       p.moves);
  write_time_conventions(out, model);
  if (p.signal != 0)
    out << style.yellow(fmt::format("==drywarp== The program died of signal {} ({}): the profile ends there.", p.signal,
                                    signal_name(p.signal)))
        << "\n";
  else if (!p.complete)
    out << style.yellow(
               "==drywarp== The program ended without its exit handlers, by _exit() or a signal: the profile ends "
               "there.")
        << "\n";
  else if (p.exit_code != 0)
    out << style.yellow(fmt::format("==drywarp== The program ended with exit code {}.", p.exit_code)) << "\n";
  for (const LaunchModel& launch : model.launches)
    if (!launch.record->fault.empty())
      out << style.red("==drywarp== " + model.kernels[launch.kernel].name + " stopped: " + launch.record->fault)
          << "\n";
}

void write_kernel_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.kernels.empty()) {
    out << "No kernels were launched.\n";
    return;
  }
  Table table({Right, Right, Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.head({"Type", "Warp inst(%)", "Warp inst", "Calls", "Avg", "Min", "Max", "Host time", "Name"});
  for (const KernelModel& k : model.kernels) {
    const Tally& w = k.warp_instructions;
    const bool counted = k.counted != 0;
    const auto number = [&](double v) { return counted ? readable(v) : std::string("-"); };
    table.row({&k == &model.kernels.front() ? "Kernels (PTX):" : "", counted ? percent_of(k.instructions_share) : "-",
               number(w.total), fmt::format("{}", k.calls), number(std::round(w.avg())), number(w.min), number(w.max),
               readable_seconds(k.host_seconds.total), k.name});
  }
  table.print(out, style);
}

void write_transfer_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.transfers.empty()) return;
  double all = 0;
  for (const TransferModel& t : model.transfers) all += t.bytes.total;
  Table table({Right, Right, Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.head({"Type", "Bytes(%)", "Bytes", "Calls", "Avg", "Min", "Max", "Host time", "Name"});
  for (const TransferModel& t : model.transfers) {
    const std::string what =
        t.kind == record::TransferKind::Memset ? "[CUDA memset]" : fmt::format("[CUDA memcpy {}]", name(t.kind));
    table.row({&t == &model.transfers.front() ? "Memory:" : "", percent_of(all > 0 ? t.bytes.total / all : 0),
               readable_bytes(t.bytes.total), fmt::format("{}", t.bytes.count), readable_bytes(t.bytes.avg()),
               readable_bytes(t.bytes.min), readable_bytes(t.bytes.max), readable_seconds(t.host_seconds.total), what});
  }
  out << '\n';
  table.print(out, style);
}

void write_api_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.api.empty()) return;
  Table table({Right, Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.head({"Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"});
  for (const ApiModel& a : model.api) {
    const Tally& t = a.host_seconds;
    table.row({&a == &model.api.front() ? "API calls:" : "", percent_of(a.share), readable_seconds(t.total),
               fmt::format("{}", t.count), readable_seconds(t.avg()), readable_seconds(t.min), readable_seconds(t.max),
               a.name});
  }
  out << '\n';
  table.print(out, style);
}

std::string extent(const record::Extent& e) { return fmt::format("({} {} {})", e.x, e.y, e.z); }

// "grid (64 64 1), block (32 32 1)" if all launches agree.
std::string launch_configuration(const ReportModel& model, uint32_t kernel) {
  const record::LaunchRecord* first = nullptr;
  for (const LaunchModel& launch : model.launches) {
    if (launch.kernel != kernel) continue;
    if (!first)
      first = launch.record;
    else if (first->grid != launch.record->grid || first->block != launch.record->block)
      return "several grid and block sizes";
  }
  return first ? "grid " + extent(first->grid) + ", block " + extent(first->block) : "";
}

const char* mark(MetricClass c) { return c == MetricClass::Modelled ? "~" : ""; }

// A zero is noise (most kernels use few classes of instructions) unless it is good news: no excess, no conflicts, no
// divergent branches among existing accesses. Such a metric follows its subject in the table.
bool worth_showing_zero(const metrics::Metric& m, bool subject_shown) {
  const auto says = [&](std::string_view word) { return m.name.find(word) != m.name.npos; };
  return subject_shown && (says("excess") || says("conflict") || says("divergent"));
}

// The counters of one group, unless all are zero or 100 %.
void write_group(std::ostream& out, const ReportModel& model, const KernelModel& kernel, Group group,
                 const Style& style, unsigned width) {
  Table table({Left, Right, Left, Left}, 4, width);
  bool any = false, previous_shown = false;
  for (size_t i = 0; i < model.selection.size(); ++i) {
    const metrics::Metric& m = *model.selection[i].metric;
    if (m.group != group || !m.shown) continue;
    const std::optional<double>& value = kernel.totals[i];
    previous_shown = value && (*value != 0 || worth_showing_zero(m, previous_shown));
    if (!previous_shown) continue;
    any = any || (*value != 0 && (m.unit != "%" || *value < 100));
    const bool unit_in_value = m.unit == "%" || m.unit == "byte";
    table.row({std::string(m.name), mark(m.klass) + readable_value(value, m.unit),
               unit_in_value ? "" : std::string(m.unit), std::string(m.description)});
  }
  if (!any) return;
  out << "  " << style.bold(metrics::title(group)) << '\n';
  table.print(out, style);
}

void write_lines(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style) {
  size_t with_place = 0;
  for (const LineModel& l : kernel.lines) with_place += l.line != 0;
  if (with_place == 0 || options.lines == 0) return;
  const size_t shown = std::min<size_t>(options.lines, kernel.lines.size());
  out << "  " << style.bold(fmt::format("Lines that cost most ({} of {})", shown, kernel.lines.size())) << '\n';
  Table table({Right, Left, Right, Right, Right, Right, Right, Right, Left}, 4, options.width);
  table.head({"Cost", "Line", "Warp inst", "Sectors", "Excess", "Wavefronts", "Excess", "Divergent", "Source"});
  const auto with_share = [](uint64_t n, double share) {
    return n == 0 ? std::string("-") : fmt::format("{} {:>3.0f}%", readable(static_cast<double>(n)), 100 * share);
  };
  for (size_t i = 0; i < shown; ++i) {
    const LineModel& l = kernel.lines[i];
    uint64_t sectors = 0, sector_excess = 0, wavefronts = 0, wavefront_excess = 0;
    for (size_t kind = 0; kind < metrics::kAccessKinds; ++kind) {
      for (const Memory m : {Memory::Global, Memory::Local}) sectors += l.sums.accesses[size_t(m)][kind].units;
      wavefronts += l.sums.accesses[size_t(Memory::Shared)][kind].units;
      if (kind == size_t(metrics::AccessKind::Atomic)) continue;  // an atomic's rounds are no excess
      sector_excess += l.sums.accesses[size_t(Memory::Global)][kind].excess;
      wavefront_excess += l.sums.accesses[size_t(Memory::Shared)][kind].excess;
    }
    const auto excess = [](uint64_t n) { return n == 0 ? std::string("-") : readable(static_cast<double>(n)); };
    const size_t slash = l.file.rfind('/');
    const std::string file = slash == std::string::npos ? l.file : l.file.substr(slash + 1);
    table.row({fmt::format("{:.1f}%", 100 * l.cost), l.line == 0 ? "(no line)" : fmt::format("{}:{}", file, l.line),
               with_share(l.sums.all().warps, l.instructions_share), with_share(sectors, l.sectors_share),
               excess(sector_excess), with_share(wavefronts, l.wavefronts_share), excess(wavefront_excess),
               with_share(l.sums.divergent, l.divergent_share), l.source});
  }
  table.print(out, style);
}

void write_kernel(std::ostream& out, const ReportModel& model, uint32_t index, const ReportOptions& options,
                  const Style& style) {
  const KernelModel& kernel = model.kernels[index];
  out << '\n' << style.bold(kernel.name) << '\n';
  std::string facts = plural(kernel.calls, "call") + ", " + launch_configuration(model, index);
  if (kernel.registers != 0)
    facts += fmt::format(", {}{} registers a thread ({})", is_compiled(kernel.registers_from) ? "" : "~",
                         kernel.registers, readable_source(kernel.registers_from));
  if (kernel.static_shared_bytes != 0)
    facts += fmt::format(", {} static shared", readable_bytes(double(kernel.static_shared_bytes)));
  if (kernel.local_bytes != 0) facts += fmt::format(", {} local a thread", readable_bytes(double(kernel.local_bytes)));
  out << "  " << facts << '\n';
  write_limiter(out, kernel, style);
  if (kernel.counted == 0) {
    out << "  not counted\n";
    return;
  }
  if (kernel.counted != kernel.calls)
    out << fmt::format("  counted: {} of {}\n", plural(kernel.counted, "call"), kernel.calls);
  for (const Group group : {Group::Instructions, Group::Divergence, Group::Global, Group::Local, Group::Shared,
                            Group::Atomics, Group::Barriers, Group::Flops, Group::Timing})
    write_group(out, model, kernel, group, style, options.width);
  write_kernel_time(out, kernel, options, style);
  write_lines(out, kernel, options, style);
}

}  // namespace

void write_text(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  write_header(out, model, style);
  out << "==drywarp== Profiling result:\n";
  write_time_summary(out, model, style, options.width);
  write_kernel_summary(out, model, style, options.width);
  write_transfer_summary(out, model, style, options.width);
  write_api_summary(out, model, style, options.width);
  const bool counted =
      std::any_of(model.kernels.begin(), model.kernels.end(), [](const auto& k) { return k.counted != 0; });
  if (!counted) return;
  out << "\n==drywarp== Counters, summed over the calls of each kernel (~: modelled; all others exact; instructions "
         "are PTX's):\n";
  for (uint32_t i = 0; i < model.kernels.size(); ++i) write_kernel(out, model, i, options, style);
}

}  // namespace drywarp::report
