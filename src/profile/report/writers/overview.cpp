// The first page of the text report: one line a kernel, then for each kernel at most a screen. The answer comes first;
// everything else is on the page of details.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "base/support/plural.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/costly_lines.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using enum Table::Align;

constexpr size_t kKernelsOfTable = 20;  // lines of the first table
constexpr size_t kKernelsInFull = 8;    // kernels with a paragraph of their own
constexpr size_t kLinesOfKernel = 5;
constexpr size_t kPartsOfLine = 3;
constexpr size_t kAdviceOfKernel = 3;
constexpr size_t kFindings = 8;  // of checks

using Lines = std::vector<std::vector<CostlyLine>>;  // parallel to ReportModel::kernels

const advice::Verdict* limiter(const KernelModel& kernel) {
  return kernel.time && kernel.time->limiter ? &*kernel.time->limiter : nullptr;
}

bool timed(const ReportModel& model) {
  return std::ranges::any_of(model.kernels, [](const KernelModel& k) { return k.time.has_value(); });
}

// The time on the GPU; without one, the instructions; without counts, the time on this machine.
struct Cost {
  const char* title;
  std::string text, share;
};
Cost cost(const ReportModel& model, const KernelModel& k) {
  if (timed(model))
    return k.time ? Cost{"Time", readable_seconds(k.time->seconds.total), share_text(k.time->share)}
                  : Cost{"Time", "-", "-"};
  if (std::ranges::any_of(model.kernels, [](const KernelModel& other) { return other.counted != 0; }))
    return k.counted != 0 ? Cost{"Warp inst", readable(k.warp_instructions.total), share_text(k.instructions_share)}
                          : Cost{"Warp inst", "-", "-"};
  return {"Host time", readable_seconds(k.host_seconds.total), ""};
}

// "single_pass_scan_...:200": the kernel's name needs room, too.
std::string short_place(const std::string& place) {
  constexpr size_t kLongest = 20;
  const size_t colon = std::min(place.rfind(':'), place.size());
  return colon <= kLongest ? place : place.substr(0, kLongest - 3) + "..." + place.substr(colon);
}

void write_kernels(std::ostream& out, const ReportModel& model, const Lines& lines, const ReportOptions& options) {
  Table table({Right, Right, Right, Left, Left, Left}, 1, options.width);
  table.may_drop({2});
  const size_t shown = std::min(model.kernels.size(), kKernelsOfTable);
  for (size_t i = 0; i < shown; ++i) {
    const KernelModel& k = model.kernels[i];
    const Cost cost = report::cost(model, k);
    table.head({cost.title, "Share", "Launches", "Limiter", "Costliest line", "Kernel"});
    table.row({cost.text, cost.share, fmt::format("{}", k.calls), limiter_text(limiter(k)),
               lines[i].empty()
                   ? "-"
                   : fmt::format("{} {:>4}", short_place(place(lines[i][0])), share_text(lines[i][0].share)),
               name_in_table(k.name)});
    if (const std::string advice = first_advice(k); !advice.empty())
      table.line(cut("    -> " + advice, options.width == 0 ? ~size_t{0} : options.width));
    for (const BarrierOfLine& b : k.barriers)
      if (b.note.divergent())
        table.line(cut(fmt::format("    !! {} at {}", name(b.note.kind), place_of(b, false)),
                       options.width == 0 ? ~size_t{0} : options.width));
  }
  table.print(out, Style{options.colour});
  if (shown < model.kernels.size())
    out << fmt::format(" ... and {} more: --details\n", plural(model.kernels.size() - shown, "kernel"));
}

void write_kernel_paragraph(std::ostream& out, const ReportModel& model, uint32_t index,
                            const std::vector<CostlyLine>& lines, const ReportOptions& options) {
  const KernelModel& k = model.kernels[index];
  const Style style{options.colour};
  const unsigned width = options.width;
  const size_t room = width == 0 ? ~size_t{0} : width;
  out << '\n' << style.bold(cut(name_in_table(k.name), room)) << '\n';
  std::string facts = launches_text(model, index);
  if (k.time && k.time->seconds.count > 0) {
    const Tally& t = k.time->seconds;
    facts += fmt::format(", {}{}", readable_seconds(t.avg()), t.count > 1 ? " on average" : "");
    if (t.max > 1.01 * t.min)
      facts += fmt::format(" ({} to {}: --launches)", readable_seconds(t.min), readable_seconds(t.max));
  }
  write_indented(out, facts, 2, width);
  for (const auto& [why, n] : k.untimed)
    write_indented(out, fmt::format("{} without a time: {}", plural(n, "launch"), why), 2, width);
  if (k.counted == 0) {
    out << "  not counted\n";
    return;
  }
  write_barriers(out, k, options);
  if (const advice::Verdict* v = limiter(k)) write_indented(out, "Limiter: " + v->text, 2, width);
  write_advice(out, k, kAdviceOfKernel, options);
  const size_t shown = std::min<size_t>(lines.size(), std::min<size_t>(options.lines, kLinesOfKernel));
  if (shown != 0)
    out << "  " << style.bold(k.time ? "Time by source line" : "Warp instructions by source line") << '\n';
  for (size_t i = 0; i < shown; ++i) {
    const CostlyLine& line = lines[i];
    out << cut(fmt::format("  {:>5}  {}  {}", share_text(line.share), place(line), line.source), room) << '\n';
    for (size_t part = 0; part < std::min(line.parts.size(), kPartsOfLine); ++part)
      if (const std::string text = what(line.parts[part], line.parts.size() > 1); !text.empty())
        write_indented(out, text, 9, width);
  }
  if (!options.regions.empty()) write_regions(out, k, options, style);
  if (const std::string command = more(lines); !command.empty()) out << "  More: " << style.bold(command) << '\n';
}

}  // namespace

void write_overview(std::ostream& out, const ReportModel& model, const ReportOptions& options) {
  const Style style{options.colour};
  const record::Profile& p = *model.profile;
  out << note(fmt::format("{} on {}", p.program, p.device), options.width) << '\n'
      << note(timed(model) ? "Exact counts of PTX; modelled times: cold caches, each kernel alone."
                           : "Exact counts of PTX; no times were modelled.",
              options.width)
      << '\n';
  if (const size_t n = model.stand_ins.size(); n != 0)
    out << note(fmt::format("{} of this device {}: --details", plural(n, "unpublished number"),
                            n == 1 ? "has a stand-in" : "have stand-ins"),
                options.width)
        << '\n';
  write_replaced_libraries(out, model, options.width);
  write_program_end(out, model, style, options.width);
  out << '\n';
  write_findings(out, model, kFindings, style, options.width);
  if (model.kernels.empty()) {
    out << "No kernels were launched.\n";
    return;
  }
  if (options.launches) return write_launches(out, model, options);
  Lines lines;
  for (const KernelModel& k : model.kernels) lines.push_back(costly_lines(k));
  write_kernels(out, model, lines, options);
  write_time_line(out, model, options);
  write_run_advice(out, model, kAdviceOfKernel, options);
  for (uint32_t i = 0; i < model.kernels.size() && i < kKernelsInFull; ++i)
    write_kernel_paragraph(out, model, i, lines[i], options);
  if (model.kernels.size() > kKernelsInFull)
    out << fmt::format("\n{} in less detail: --kernel NAME shows them.\n",
                       plural(model.kernels.size() - kKernelsInFull, "kernel"));
  out << "\nEvery counter, copy and call: --details. Each source line: --page source.\n";
}

}  // namespace drywarp::report
