#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>

#include "base/support/plural.h"
#include "faces/profilers/sanitizer/records.h"

namespace drywarp::profilers::sanitizer {
namespace {

class Lines {
 public:
  Lines(std::ostream& out, const Style& style) : out_(out), style_(style) {}
  // Of text that goes over several lines, each has the prefix.
  void line(std::string_view text) { fmt::print(out_, "{} {}\n", style_.prefix, text); }
  void detail(std::string_view text) { fmt::print(out_, "{}     {}\n", style_.prefix, text); }

 private:
  std::ostream& out_;
  const Style& style_;
};

std::string triple(const std::array<uint32_t, 3>& at) { return fmt::format("({},{},{})", at[0], at[1], at[2]); }

void write_callers(Lines& lines, const Finding& f, const Report& report, const Style& style) {
  const HostStack stack = host_stack(f, style);
  if (stack.frames.empty()) return;
  lines.detail(fmt::format("Saved host backtrace up to driver entry point at {}", stack.when));
  for (HostFrame h : stack.frames) {
    h.file = file_name(h.file, style);
    const std::string place = h.line != 0 ? fmt::format("{}:{}", h.file, h.line) : std::string();
    lines.detail(fmt::format("    Host Frame: {}{}{} in {}", h.function,
                             h.function.empty() || place.empty() ? "" : " in ", place, report.program));
  }
}

void write_record(Lines& lines, const Finding& f, const Report& report, const Style& style) {
  const Record r = record_of(f);
  lines.line(info(f.kind).severity == Severity::Error ? r.title
                                                      : fmt::format("{}: {}", level(info(f.kind).severity), r.title));
  if (const std::string at = r.call ? std::string() : place(f.kernel, f.where, style); !at.empty())
    lines.detail("at " + at);
  if (f.thread)
    lines.detail(fmt::format("by thread {} in block {}", triple(f.thread->thread), triple(f.thread->block)));
  for (const std::string& detail : r.details) lines.detail(detail);
  write_callers(lines, f, report, style);
  lines.line("");
}

// ---- races

// Of an access and its like, a report each.
uint64_t threads(const Finding& f) { return is_race(f) ? 1 : f.times; }

void write_analysis(Lines& lines, const Finding& f, const Style& style) {
  const auto [first, second] = sides_of(f);
  lines.line(fmt::format("{}: Race reported between {} access at {}", level(info(f.kind).severity), first.access,
                         place(f.kernel, first.where, style)));
  lines.detail(
      fmt::format("and {} access at {} [{} hazards]", second.access, place(f.kernel, second.where, style), f.times));
  lines.line("");
}

void write_hazard(Lines& lines, const Finding& f, const Style& style) {
  const std::array<Side, 2> sides = sides_of(f);
  const Record r = record_of(f);
  lines.line(fmt::format("{}: {}Potential {} hazard detected at __{}__ {}in block {} :", level(info(f.kind).severity),
                         f.kind == FindingKind::WarpLevel ? "(Warp Level Programming) " : "", hazard(sides),
                         *r.access.space == '\0' ? "shared" : r.access.space,
                         f.address ? fmt::format("{:#x} ", *f.address) : std::string(),
                         f.thread ? triple(f.thread->block) : "(?)"));
  for (const Side& side : sides)
    lines.detail(fmt::format("{} Thread {} at {}", side.access, side.thread ? triple(side.thread->thread) : "(?)",
                             place(f.kernel, side.where, style)));
  lines.line("");
}

void write_race(Lines& lines, const Finding& f, const Style& style) {
  if (style.races != Races::Analysis) write_hazard(lines, f, style);
  if (style.races != Races::Hazard) write_analysis(lines, f, style);
}

uint64_t of_severity(const std::vector<const Finding*>& findings, Severity severity) {
  return static_cast<uint64_t>(
      std::ranges::count_if(findings, [&](const Finding* f) { return info(f->kind).severity == severity; }));
}

void write_summary(Lines& lines, const Report& report, const Style& style,
                   const std::vector<const Finding*>& findings) {
  if (report.tool == CheckTool::Racecheck) {
    lines.line(fmt::format("RACECHECK SUMMARY: {} displayed ({}, {})", plural(findings.size(), "hazard"),
                           plural(of_severity(findings, Severity::Error), "error"),
                           plural(of_severity(findings, Severity::Warning), "warning")));
    return;
  }
  if (report.leaks) {
    uint64_t leaks = 0, bytes = 0;
    for (const Finding& f : report.findings)
      if (f.kind == FindingKind::Leak && f.allocation) ++leaks, bytes += f.allocation->size;
    lines.line(fmt::format("LEAK SUMMARY: {} bytes leaked in {} allocations", bytes, leaks));
  }
  lines.line(fmt::format("ERROR SUMMARY: {}", plural(errors(report, style), "error")));
}

}  // namespace

void write_banner(std::ostream& out, const Style& style) {
  if (!style.quiet) Lines(out, style).line(style.banner);
}

void write_text(std::ostream& out, const Report& report, const Style& style) {
  Lines lines(out, style);
  const std::vector<const Finding*> all = shown(report, style);
  const size_t printed = style.limit == 0 ? all.size() : std::min<size_t>(all.size(), style.limit);
  for (size_t i = 0; i < printed; ++i)
    if (is_race(*all[i]))
      write_race(lines, *all[i], style);
    else
      write_record(lines, *all[i], report, style);
  if (report.exit_code != 0 && !style.quiet) lines.line("Target application returned an error");
  if (!style.quiet) write_summary(lines, report, style, all);
  uint64_t left = 0;
  for (size_t i = printed; i < all.size(); ++i) left += threads(*all[i]);
  if (left != 0)
    lines.line(
        fmt::format("ERROR SUMMARY: {} not printed. Use --print-limit option to adjust the number of printed errors",
                    left == 1 ? "1 error was" : fmt::format("{} errors were", left)));
}

std::vector<const Finding*> shown(const Report& report, const Style& style) {
  std::vector<const Finding*> all;
  for (const Finding& f : report.findings)
    // Objects that are no memory are none of compute-sanitizer's leaks.
    if (info(f.kind).severity <= style.least && f.kind != FindingKind::LeftObject) all.push_back(&f);
  std::ranges::stable_partition(all, [](const Finding* f) { return f->kind != FindingKind::Leak; });
  return all;
}

uint64_t errors(const Report& report, const Style& style) {
  uint64_t count = 0;
  for (const Finding* f : shown(report, style))
    if (info(f->kind).severity != Severity::Note) count += threads(*f);
  return count;
}

}  // namespace drywarp::profilers::sanitizer
