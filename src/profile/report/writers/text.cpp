// The pages of details and of source lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <set>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/layout.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using metrics::Group;
using metrics::MetricClass;
using metrics::Show;
using enum Table::Align;

std::string percent_of(double share) { return readable_percent(100 * share); }

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? std::string("SIG") + name : strsignal(number);
}

void write_header(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  const record::Profile& p = *model.profile;
  out << note("Profiled: " + p.program, width) << '\n'
      << note("Counts as on " + p.device + ". Host times are this machine's.", width) << '\n';
  if (!p.moves.empty())
    out << note(fmt::format("Sectors are of 32 bytes, but this GPU moves {}. Modelled times use the latter.", p.moves),
                width)
        << '\n';
  write_time_conventions(out, model, width);
  write_replaced_libraries(out, model, width);
  write_program_end(out, model, style, width);
}

void write_kernel_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.kernels.empty()) {
    out << "No kernels were launched.\n";
    return;
  }
  out << style.bold("Kernels: warp instructions of the PTX") << '\n';
  Table table({Right, Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.may_drop({5, 4, 3});
  table.head({"Share", "Warp inst", "Launches", "Avg", "Min", "Max", "Host time", "Kernel"});
  for (const KernelModel& k : model.kernels) {
    const Tally& w = k.warp_instructions;
    const bool counted = k.counted != 0;
    const auto number = [&](double v) { return counted ? readable(v) : std::string("-"); };
    table.row({counted ? percent_of(k.instructions_share) : "-", number(w.total), fmt::format("{}", k.calls),
               number(std::round(w.avg())), number(w.min), number(w.max), readable_seconds(k.host_seconds.total),
               name_in_table(k.name)});
  }
  table.print(out, style);
}

void write_transfer_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.transfers.empty()) return;
  Table table({Right, Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.may_drop({5, 4, 3});
  table.head({"Share", "Bytes", "Calls", "Avg", "Min", "Max", "Host time", "Copy"});
  for (const TransferModel& t : model.transfers) {
    const std::string what = t.kind == record::TransferKind::Memset ? "memset" : fmt::format("memcpy {}", name(t.kind));
    table.row({percent_of(t.share), readable_bytes(t.bytes.total), fmt::format("{}", t.bytes.count),
               readable_bytes(t.bytes.avg()), readable_bytes(t.bytes.min), readable_bytes(t.bytes.max),
               readable_seconds(t.host_seconds.total), what});
  }
  out << '\n' << style.bold("Copies") << '\n';
  table.print(out, style);
}

void write_api_summary(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  if (model.api.empty()) return;
  Table table({Right, Right, Right, Right, Right, Right, Left}, 1, width);
  table.may_drop({4, 3});
  table.head({"Share", "Host time", "Calls", "Avg", "Min", "Max", "Call"});
  for (const ApiModel& a : model.api) {
    const Tally& t = a.host_seconds;
    table.row({percent_of(a.share), readable_seconds(t.total), fmt::format("{}", t.count), readable_seconds(t.avg()),
               readable_seconds(t.min), readable_seconds(t.max), a.name});
  }
  out << '\n' << style.bold("Calls of the CUDA API") << '\n';
  table.print(out, style);
}

const char* mark(MetricClass c) { return c == MetricClass::Modelled ? "~" : ""; }

// The counters of one group, unless all are zero or 100 %.
void write_group(std::ostream& out, const ReportModel& model, const KernelModel& kernel, Group group,
                 const Style& style, unsigned width) {
  Table table({Left, Right, Left}, 4, width);
  table.may_drop({2});
  bool any = false, previous_shown = false;
  for (size_t i = 0; i < model.selection.size(); ++i) {
    const metrics::Metric& m = *model.selection[i].metric;
    if (m.group != group || m.show == Show::No) continue;
    const std::optional<double>& value = kernel.totals[i];
    previous_shown = value && (*value != 0 || (m.show == Show::EvenZero && previous_shown));
    if (!previous_shown) continue;
    any = any || (*value != 0 && (m.unit != "%" || *value < 100));
    table.row({std::string(m.title()), mark(m.klass) + readable_value(value, m.unit), std::string(m.name)});
  }
  if (!any) return;
  out << "  " << style.bold(metrics::title(group)) << '\n';
  table.print(out, style);
}

void write_lines(std::ostream& out, const KernelModel& kernel, const ReportOptions& options, const Style& style) {
  const bool placed = std::ranges::any_of(kernel.lines, [](const LineModel& l) { return l.line != 0; });
  if (!placed || options.lines == 0) return;
  const size_t shown = std::min<size_t>(options.lines, kernel.lines.size());
  out << "  " << style.bold(fmt::format("Lines that cost most ({} of {})", shown, kernel.lines.size())) << '\n';
  Table table({Right, Left, Right, Right, Right, Right, Right, Right, Left}, 4, options.width);
  table.may_drop({4, 6, 2, 7});
  table.head({"Cost", "Line", "Warp inst", "Sectors", "Excess", "Wavefronts", "Excess", "Divergent", "Source"});
  const auto with_share = [](uint64_t n, double share) {
    return n == 0 ? std::string("-") : fmt::format("{} {:>3.0f} %", readable(static_cast<double>(n)), 100 * share);
  };
  for (size_t i = 0; i < shown; ++i) {
    const LineModel& l = kernel.lines[i];
    const auto excess = [&](Memory memory) {  // an atomic's rounds are no excess
      const uint64_t n = l.sums.loads_and_stores(memory).excess;
      return n == 0 ? std::string("-") : readable(static_cast<double>(n));
    };
    const size_t slash = l.file.rfind('/');
    const std::string file = slash == std::string::npos ? l.file : l.file.substr(slash + 1);
    table.row({fmt::format("{:.1f} %", 100 * l.cost), l.line == 0 ? "(no line)" : fmt::format("{}:{}", file, l.line),
               with_share(l.sums.all().warps, l.instructions_share), with_share(l.sums.sectors(), l.sectors_share),
               excess(Memory::Global), with_share(l.sums.wavefronts(), l.wavefronts_share), excess(Memory::Shared),
               with_share(l.sums.divergent, l.divergent_share), l.source});
  }
  table.print(out, style);
}

void write_kernel(std::ostream& out, const ReportModel& model, uint32_t index, const ReportOptions& options,
                  const Style& style) {
  const KernelModel& kernel = model.kernels[index];
  out << '\n' << style.bold(kernel_title(kernel, options.width)) << '\n';
  std::string facts = launches_text(model, index);
  if (kernel.registers != 0)
    facts += fmt::format(", {}{} registers a thread ({})", is_compiled(kernel.registers_from) ? "" : "~",
                         kernel.registers, readable_source(kernel.registers_from));
  if (kernel.static_shared_bytes != 0)
    facts += fmt::format(", {} static shared", readable_bytes(double(kernel.static_shared_bytes)));
  if (kernel.local_bytes != 0) facts += fmt::format(", {} local a thread", readable_bytes(double(kernel.local_bytes)));
  write_indented(out, facts, 2, options.width);
  write_limiter(out, kernel, style, options.width);
  write_advice(out, kernel, std::nullopt, options);
  if (kernel.counted == 0) {
    out << "  not counted\n";
    return;
  }
  if (kernel.counted != kernel.calls)
    out << fmt::format("  counted: {} of {}\n", plural(kernel.counted, "launch"), kernel.calls);
  write_barriers(out, kernel, options);
  for (const Group group : {Group::Instructions, Group::Divergence, Group::Global, Group::Local, Group::Shared,
                            Group::Atomics, Group::Barriers, Group::Flops, Group::Timing})
    write_group(out, model, kernel, group, style, options.width);
  write_kernel_time(out, kernel, options, style);
  write_lines(out, kernel, options, style);
}

}  // namespace

std::string kernel_title(const KernelModel& kernel, unsigned width) {
  return fmt::format("{}", fmt::join(wrapped(kernel.name, width), "\n"));
}

std::string extent_text(const record::Extent& e) {
  if (e.z > 1) return fmt::format("{}x{}x{}", e.x, e.y, e.z);
  return e.y > 1 ? fmt::format("{}x{}", e.x, e.y) : fmt::format("{}", e.x);
}

std::string launches_text(const ReportModel& model, uint32_t kernel) {
  const record::LaunchRecord* first = nullptr;
  bool equal = true;
  for (const LaunchModel& launch : model.launches) {
    if (launch.kernel != kernel) continue;
    if (!first) first = launch.record;
    equal = equal && first->grid == launch.record->grid && first->block == launch.record->block;
  }
  const std::string text = plural(model.kernels[kernel].calls, "launch");
  if (!first) return text;
  const auto counted = [](const record::Extent& e, const char* word) {
    return fmt::format("{} {}{}", extent_text(e), word, e == record::Extent{} ? "" : "s");
  };
  return equal ? fmt::format("{} of {} of {}", text, counted(first->grid, "block"), counted(first->block, "thread"))
               : text + " of several sizes";
}

void write_replaced_libraries(std::ostream& out, const ReportModel& model, unsigned width) {
  std::set<std::string_view> libraries;
  for (const KernelModel& k : model.kernels)
    if (const std::string_view library = replaced_library(k.mangled); !library.empty()) libraries.insert(library);
  if (!libraries.empty())
    out << note(fmt::format("{}'s kernels are drywarp's own: neither their counts nor their times are NVIDIA's.",
                            fmt::join(libraries, "'s and ")),
                width)
        << '\n';
}

void write_program_end(std::ostream& out, const ReportModel& model, const Style& style, unsigned width) {
  const record::Profile& p = *model.profile;
  const auto warning = [&](const std::string& text) { out << style.yellow(note(text, width)) << '\n'; };
  if (p.signal != 0)
    warning(
        fmt::format("The program died of signal {} ({}): the profile ends there.", p.signal, signal_name(p.signal)));
  else if (!p.complete)
    warning("The program ended without its exit handlers, by _exit() or a signal: the profile ends there.");
  else if (p.exit_code != 0)
    warning(fmt::format("The program ended with exit code {}.", p.exit_code));
  for (const LaunchModel& launch : model.launches)
    if (!launch.record->fault.empty())
      out << style.red(note(short_name(model.kernels[launch.kernel].name) + " stopped: " + launch.record->fault, width))
          << '\n';
}

void write_source_page(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  write_header(out, model, style, options.width);
  if (model.kernels.empty()) out << "No kernels were launched.\n";
  ReportOptions every = options;
  every.lines = std::numeric_limits<unsigned>::max();
  for (const KernelModel& kernel : model.kernels) {
    out << '\n' << style.bold(kernel_title(kernel, options.width)) << '\n';
    write_limiter(out, kernel, style, options.width);
    if (kernel.time) write_stalled_lines(out, kernel, every, style);
    write_lines(out, kernel, every, style);
  }
}

void write_details(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  write_header(out, model, style, options.width);
  out << '\n';
  write_findings(out, model, std::nullopt, style, options.width);
  write_time_summary(out, model, style, options.width);
  write_kernel_summary(out, model, style, options.width);
  if (options.launches) {
    out << '\n' << style.bold("Launches") << '\n';
    write_launches(out, model, options);
  }
  if (options.kernel.empty()) {  // no kernel has these
    write_transfer_summary(out, model, style, options.width);
    write_api_summary(out, model, style, options.width);
  }
  write_time_line(out, model, options);
  write_run_advice(out, model, std::nullopt, options);
  const bool counted =
      std::any_of(model.kernels.begin(), model.kernels.end(), [](const auto& k) { return k.counted != 0; });
  if (!counted) return;
  out << '\n'
      << note(
             "Counters, summed over the launches of each kernel (~: modelled; all others exact; instructions are "
             "PTX's):",
             options.width)
      << '\n';
  for (uint32_t i = 0; i < model.kernels.size(); ++i) write_kernel(out, model, i, options, style);
}

}  // namespace drywarp::report
