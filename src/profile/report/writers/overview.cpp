// The first page of the text report: one line a kernel, then for each kernel at most a screen. The answer comes first;
// everything else is on the page of details.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <tuple>
#include <vector>

#include "base/support/plural.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"

namespace drywarp::report {
namespace {

using enum Table::Align;
using metrics::AccessKind;

constexpr size_t kKernelsOfTable = 20;  // lines of the first table
constexpr size_t kKernelsInFull = 8;    // kernels with a paragraph of their own
constexpr size_t kLinesOfKernel = 5;
constexpr size_t kAdviceOfKernel = 3;
constexpr size_t kFindings = 8;       // of checks
constexpr double kLeastShare = 0.01;  // of a kernel's time, for a line to be shown

// An access of a source line, such as its global loads.
struct LineAccess {
  Memory memory{};
  AccessKind kind{};
  auto operator<=>(const LineAccess&) const = default;
};

// What one source line does of one kind: its loads and its stores are told apart, its unrolled copies are not.
struct LinePart {
  std::string file, source;
  uint32_t line = 0;
  std::optional<LineAccess> access;  // none: it computes
  metrics::Sums sums;
  PartTime time;
  double share = 0;  // of the kernel's modelled time; without one, of its warp instructions
};

std::optional<LineAccess> access_of(const metrics::Sums& sums) {
  std::optional<LineAccess> most;
  uint64_t requests = 0;
  for (const AccessKind kind : {AccessKind::Atomic, AccessKind::Load, AccessKind::Store})
    for (const Memory memory : {Memory::Global, Memory::Shared, Memory::Local})
      if (const uint64_t here = sums.of(memory, kind).requests; here > requests)
        most = LineAccess{memory, kind}, requests = here;
  return most;
}

void add(PartTime& to, const PartTime& part) {
  to.issued += part.issued;
  for (size_t k = 0; k < to.stalls.size(); ++k) to.stalls[k] += part.stalls[k];
  to.share += part.share;
  to.seconds += part.seconds;
}

// The costliest first.
std::vector<LinePart> line_parts(const KernelModel& kernel) {
  std::map<std::tuple<std::string, uint32_t, std::optional<LineAccess>>, LinePart> parts;
  uint64_t all = 0;
  for (const InstructionModel& i : kernel.instructions) {
    const uint64_t warps = i.sums.all().warps;
    all += warps;
    if (i.line == 0) continue;
    const std::optional<LineAccess> access = access_of(i.sums);
    LinePart& part = parts[{i.file, i.line, access}];
    part.file = i.file, part.line = i.line, part.access = access;
    part.sums += i.sums;
    add(part.time, i.time);
  }
  std::vector<LinePart> sorted;
  for (auto& [key, part] : parts) {
    part.share = kernel.time ? part.time.share : all == 0 ? 0 : double(part.sums.all().warps) / double(all);
    for (const LineModel& line : kernel.lines)
      if (line.line == part.line && line.file == part.file) part.source = line.source;
    if (part.share >= kLeastShare) sorted.push_back(std::move(part));
  }
  std::ranges::sort(sorted, [](const LinePart& a, const LinePart& b) {
    return std::tie(b.share, a.file, a.line, a.access) < std::tie(a.share, b.file, b.line, b.access);
  });
  return sorted;
}

std::string place(const LinePart& part) {
  const size_t slash = part.file.rfind('/');
  return fmt::format("{}:{}", slash == part.file.npos ? part.file : part.file.substr(slash + 1), part.line);
}

// "global load: 32 sectors a request, 4 would do"
std::string access_text(const metrics::Sums& sums, LineAccess access) {
  constexpr const char* memories[] = {"global", "shared", "local"};
  const metrics::AccessSums& a = sums.of(access.memory, access.kind);
  const double requests = double(a.requests);
  const bool atomic = access.kind == AccessKind::Atomic;
  const char* kind = atomic ? "atomic" : access.kind == AccessKind::Load ? "load" : "store";
  const char* unit = access.memory == Memory::Shared ? "wavefront" : "sector";
  std::string text = fmt::format("{} {}: ", memories[size_t(access.memory)], kind);
  if (atomic) return text + plural_real(double(a.atomic_rounds) / requests, "serial round") + " a request";
  text += plural_real(double(a.units) / requests, unit) + " a request, ";
  if (a.excess == 0) return text + "the fewest possible";
  return text + fmt::format("{:.3g} would do", double(a.units - std::min(a.excess, a.units)) / requests);
}

std::string what(const LinePart& part) {
  std::vector<std::string> texts;
  if (part.access) texts.push_back(access_text(part.sums, *part.access));
  if (part.sums.divergent != 0)
    texts.push_back(fmt::format("{:.3g} % of its branches diverge",
                                100 * double(part.sums.divergent) / double(part.sums.branches)));
  for (const StallShare& s : largest_stalls(part.time, 1))
    if (s.stall != sm::Stall::Selected) texts.push_back(fmt::format("{} {:.0f} %", sm::name(s.stall), 100 * s.share));
  return fmt::format("{}", fmt::join(texts, "; "));
}

bool wasteful(const LinePart& part) {
  uint64_t excess = 0;
  for (const auto& kinds : part.sums.accesses)
    for (const AccessKind kind : {AccessKind::Load, AccessKind::Store}) excess += kinds[size_t(kind)].excess;
  return excess != 0;
}

// The command that shows more of a line; empty: its lines are as they should be.
std::string more(const std::vector<LinePart>& parts) {
  for (const LinePart& part : parts) {
    const bool shared = part.access && part.access->memory == Memory::Shared;
    if (wasteful(part)) return fmt::format("drywarp explain {} {}", shared ? "banks" : "access", place(part));
    if (part.sums.divergent != 0) return "drywarp explain divergence " + place(part);
  }
  return {};
}

std::string share_text(double share) { return fmt::format("{:.0f} %", 100 * share); }

using Parts = std::vector<std::vector<LinePart>>;  // parallel to ReportModel::kernels

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

void write_kernels(std::ostream& out, const ReportModel& model, const Parts& parts, const ReportOptions& options) {
  Table table({Right, Right, Right, Left, Left, Left}, 1, options.width);
  table.may_drop({2});
  const size_t shown = std::min(model.kernels.size(), kKernelsOfTable);
  for (size_t i = 0; i < shown; ++i) {
    const KernelModel& k = model.kernels[i];
    const Cost cost = report::cost(model, k);
    table.head({cost.title, "Share", "Launches", "Limiter", "Costliest line", "Kernel"});
    table.row({cost.text, cost.share, fmt::format("{}", k.calls), limiter_text(limiter(k)),
               parts[i].empty() ? "-" : fmt::format("{} {:>4}", place(parts[i][0]), share_text(parts[i][0].share)),
               short_name(k.name)});
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
                            const std::vector<LinePart>& parts, const ReportOptions& options) {
  const KernelModel& k = model.kernels[index];
  const Style style{options.colour};
  const unsigned width = options.width;
  const size_t room = width == 0 ? ~size_t{0} : width;
  out << '\n' << style.bold(cut(short_name(k.name), room)) << '\n';
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
  const size_t shown = std::min<size_t>(parts.size(), std::min<size_t>(options.lines, kLinesOfKernel));
  if (shown != 0)
    out << "  " << style.bold(k.time ? "Time by source line" : "Warp instructions by source line") << '\n';
  for (size_t i = 0; i < shown; ++i) {
    const std::string head = fmt::format("  {:>5}  {}  ", share_text(parts[i].share), place(parts[i]));
    out << cut(head + parts[i].source, room) << '\n';
    if (const std::string text = what(parts[i]); !text.empty()) write_indented(out, text, 9, width);
  }
  if (!options.regions.empty()) write_regions(out, k, options, style);
  if (const std::string command = more(parts); !command.empty()) out << "  More: " << style.bold(command) << '\n';
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
  Parts parts;
  for (const KernelModel& k : model.kernels) parts.push_back(line_parts(k));
  write_kernels(out, model, parts, options);
  write_time_line(out, model, options);
  write_run_advice(out, model, kAdviceOfKernel, options);
  for (uint32_t i = 0; i < model.kernels.size() && i < kKernelsInFull; ++i)
    write_kernel_paragraph(out, model, i, parts[i], options);
  if (model.kernels.size() > kKernelsInFull)
    out << fmt::format("\n{} in less detail: --kernel NAME shows them.\n",
                       plural(model.kernels.size() - kKernelsInFull, "kernel"));
  out << "\nEvery counter, copy and call: --details. Each source line: --page source.\n";
}

}  // namespace drywarp::report
