#include "profile/checks/report.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <span>
#include <utility>

#include "base/support/article.h"
#include "base/support/plural.h"
#include "profile/checks/short_paths.h"
#include "profile/results/results.h"

namespace drywarp::checks {
namespace {

constexpr CheckFormat kCheckFormats[] = {
    {"text", write_text, true}, {"json", write_json},           {"sarif", write_sarif},
    {"junit", write_junit},     {"github", write_github, true},
};

std::string title_of(const Finding& f) {
  return fmt::format("{}: {} ({})", name(info(f.kind).severity), info(f.kind).title, name(info(f.kind).tool));
}

void write_place(std::ostream& out, const char* before, CodeLine where, const std::string& root) {
  where.file = results::relative_to(where.file, root);
  const std::string place = to_string(where);
  if (place.empty() && where.instruction.empty()) return;
  std::ranges::replace(where.instruction, '\t', ' ');
  fmt::print(out, "{}{}{}{}\n", before, place, place.empty() || where.instruction.empty() ? "" : ": ",
             where.instruction);
}

std::string indented(const std::string& text) {
  std::string all;
  for (const char c : text) all += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return all;
}

// Memory that the program has freed before: the other one is the call.
bool is_behind_free(FindingKind kind) {
  using enum FindingKind;
  constexpr FindingKind kBehind[] = {UseAfterFree, DoubleFree, InvalidFree, InvalidCopy};
  return std::ranges::find(kBehind, kind) != std::end(kBehind);
}

// "against a write by thread (0,0,0) of block (1,0,0) in scale(float*)"
std::string relation(const Finding& f) {
  const OtherAccess& o = *f.other;
  const bool uses = info(f.kind).tool == CheckTool::Initcheck;
  const char* const how = uses ? "its value" : is_behind_free(f.kind) ? "after" : "against";
  return fmt::format("{} {}{}{}{}", how, uses ? "" : std::string(article(o.what)) + " ", o.what,
                     o.thread ? (uses ? " in " : " by ") + to_string(*o.thread) : "",
                     o.kernel.empty() ? "" : " in " + o.kernel);
}

void write_frames(std::ostream& out, const char* first, std::span<const HostFrame> frames, const std::string& root,
                  const char* next = "    from") {
  for (const HostFrame& h : frames) {
    HostFrame shown = h;
    shown.file = results::relative_to(h.file, root);
    fmt::print(out, "{} {}\n", std::exchange(first, next), to_string(shown));
  }
}

void write_finding(std::ostream& out, const Finding& f, const std::string& root, const char* before = "") {
  fmt::print(out, "\n{}{}\n", before, title_of(f));
  write_place(out, "  at ", f.where, root);
  if (!f.kernel.empty()) fmt::print(out, "  in {}\n", f.kernel);
  if (!f.what.empty()) fmt::print(out, "  {}\n", indented(with_short_paths(f.what, root)));
  if (f.thread) fmt::print(out, "  by {}\n", to_string(*f.thread));
  if (f.other) {
    fmt::print(out, "  {}\n", relation(f));
    write_place(out, "    at ", f.other->where, root);
    write_frames(out, f.other->kernel.empty() ? "    called at" : "    launched at", f.other->launched, root,
                 "      from");
  }
  if (f.allocation)
    fmt::print(out, "  allocation #{}: {}{}{}\n", f.allocation->id, plural(f.allocation->size, "byte"),
               f.allocation->made.empty() ? "" : ", made at ", results::relative_to(f.allocation->made, root));
  if (f.allocation) {
    // Behind the one that is named already.
    const std::vector<HostFrame>& calls = f.allocation->calls;
    const auto made = std::ranges::find(calls, f.allocation->made, [](const HostFrame& h) { return to_string(h); });
    if (made != calls.end()) write_frames(out, "    from", {made + 1, calls.end()}, root);
  }
  if (f.times > 1) fmt::print(out, "  {} in all\n", plural(f.times, "time"));
  write_frames(out, f.kernel.empty() ? "  called at" : "  launched at", f.launched, root);
}

std::string place_of(const Suppression& s, const std::string& root) {
  return fmt::format("{}:{}", results::relative_to(s.where.file, root), s.where.line);
}

}  // namespace

std::span<const CheckFormat> check_formats() { return kCheckFormats; }

uint64_t problems(const CheckReport& report) {
  return static_cast<uint64_t>(
      std::ranges::count_if(report.findings, [](const Finding& f) { return info(f.kind).severity != Severity::Note; }));
}

std::string message(const Finding& f) {
  std::string text = f.what;
  std::ranges::replace(text, '\n', ' ');
  if (f.thread) text += fmt::format("; by {}", to_string(*f.thread));
  if (f.other) {
    text += "; " + relation(f);
    if (const std::string at = to_string(f.other->where); !at.empty()) text += " at " + at;
  }
  if (f.times > 1) text += fmt::format("; {}", plural(f.times, "time"));
  return text;
}

std::string summary(const CheckReport& report) {
  std::vector<std::string> tools;
  for (const CheckTool tool : report.tools) tools.emplace_back(name(tool));
  const uint64_t wrong = problems(report), notes = report.findings.size() - wrong;
  return fmt::format("{}: {} in {}{}{}", fmt::join(tools, ", "), wrong == 0 ? "no problem" : plural(wrong, "problem"),
                     plural(report.launches.checked, "launch"),
                     notes == 0 ? "" : fmt::format(", {}", plural(notes, "note")),
                     report.suppressed.empty() ? "" : fmt::format(", {} suppressed", report.suppressed.size()));
}

void write_text(std::ostream& out, const CheckReport& report) {
  for (const Finding& f : report.findings) write_finding(out, f, report.root);
  if (report.lists_suppressed)
    for (const Suppressed& s : report.suppressed) {
      write_finding(out, s.finding, report.root, "suppressed ");
      fmt::print(out, "  suppressed at {}: {}\n", place_of(s.by, report.root), s.by.reason);
    }
  const bool listed = !report.findings.empty() || (report.lists_suppressed && !report.suppressed.empty());
  fmt::print(out, "{}{}\n", listed ? "\n" : "", summary(report));
  if (report.launches.cut != 0)
    fmt::print(out, "note: {} did not come to an end: not checked, or only in part. stderr says why\n",
               plural(report.launches.cut, "launch"));
  if (report.launches.lost != 0)
    fmt::print(out,
               "note: {} failed at once with an earlier kernel's error: not checked. With --destroy-on-device-error "
               "kernel bad accesses stop no later launch\n",
               plural(report.launches.lost, "launch"));
  for (const Suppression& s : report.unused)
    fmt::print(out, "note: the suppression at {} matches nothing\n", place_of(s, report.root));
}

}  // namespace drywarp::checks
