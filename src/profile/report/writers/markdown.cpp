#include "profile/report/writers/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"
#include "profile/results/results.h"

namespace drywarp::report {
namespace {

// Text without a meaning in markdown or HTML.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
      continue;
    }
    if (std::string_view("\\`*_[]|#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string share(double part) { return fmt::format("{:.0f} %", 100 * part); }

void write_kernel_rows(std::ostream& out, const ReportModel& model) {
  out << "| Kernel | Launches | Time | Share | Warp instructions | Limiter |\n|---|--:|--:|--:|--:|---|\n";
  for (const KernelModel& k : model.kernels)
    out << fmt::format("| {} | {} | {} | {} | {} | {} |\n", plain(short_name(k.name)), k.calls,
                       k.time ? "~" + readable_seconds(k.time->seconds.total) : "-",
                       k.time ? "~" + share(k.time->share) : "-",
                       k.counted != 0 ? readable(k.warp_instructions.total) : "-",
                       k.time && k.time->limiter ? plain(limiter_text(&*k.time->limiter)) : "-");
}

void write_advice_list(std::ostream& out, const std::vector<advice::Advice>& all) {
  for (const advice::Advice& a : all) {
    if (!a.is_worth_it()) continue;
    out << fmt::format("- **{}{}**\n", a.gain ? fmt::format("~{:.2f}x: ", a.gain->factor) : "",
                       plain(a.finding.headline));
    for (const std::string& text : {a.finding.observation, a.finding.cure})
      if (!text.empty()) out << "  - " << plain(text) << '\n';
    for (const advice::EvidenceLine& line : a.finding.lines)
      out << fmt::format("  - {}:{}: {}\n", plain(line.file.substr(line.file.rfind('/') + 1)), line.line,
                         plain(line.what));
  }
}

void write_finding_list(std::ostream& out, const checks::CheckReport& report) {
  if (report.findings.empty()) return;
  out << "\n#### What checks found\n\n";
  for (const Finding& f : report.findings) {
    CodeLine where = f.where;
    where.file = results::relative_to(where.file, report.root);
    const std::string place = to_string(where);
    out << fmt::format("- **{}: {}**{}{}: {}\n", name(info(f.kind).severity), plain(info(f.kind).title),
                       place.empty() ? "" : " at ", plain(place), plain(checks::message(f)));
  }
}

bool has_advice(const std::vector<advice::Advice>& all) {
  return std::ranges::any_of(all, [](const advice::Advice& a) { return a.is_worth_it(); });
}

}  // namespace

void write_markdown(std::ostream& out, const ReportModel& model, const ReportOptions&) {
  const record::Profile& p = *model.profile;
  out << fmt::format("### {} on {}\n\n", plain(p.program), plain(p.device));
  if (model.kernels.empty()) {
    out << "No kernels were launched.\n";
    return;
  }
  write_kernel_rows(out, model);
  out << "\nCounts are exact counts of PTX; ~ is modelled: cold caches, each kernel alone.\n";
  if (p.checks) write_finding_list(out, *p.checks);
  if (has_advice(model.advice)) {
    out << "\n#### The whole run\n\n";
    write_advice_list(out, model.advice);
  }
  for (const KernelModel& k : model.kernels) {
    const bool limited = k.time && k.time->limiter;
    if (!limited && !has_advice(k.advice)) continue;
    out << fmt::format("\n#### {}\n\n", plain(short_name(k.name)));
    if (limited) out << plain(k.time->limiter->text) << "\n\n";
    write_advice_list(out, k.advice);
  }
}

}  // namespace drywarp::report
