// What checks found, in the text report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "base/support/plural.h"
#include "profile/report/model/numbers.h"
#include "profile/report/writers/text.h"
#include "profile/results/results.h"

namespace drywarp::report {
namespace {

// "error: read-write race at app.cu:7 in reverse(int*)"
std::string line_of(const Finding& f, const std::string& root) {
  CodeLine where = f.where;
  where.file = results::relative_to(where.file, root);
  const std::string place = to_string(where);
  return fmt::format("{}: {}{}{}{}{}", name(info(f.kind).severity), info(f.kind).title, place.empty() ? "" : " at ",
                     place, f.kernel.empty() ? "" : " in ", short_name(f.kernel));
}

}  // namespace

void write_findings(std::ostream& out, const ReportModel& model, std::optional<size_t> most, const Style& style,
                    unsigned width) {
  if (!model.profile->checks) return;
  const checks::CheckReport& report = *model.profile->checks;
  out << style.bold("Checks") << '\n';
  if (!most) {
    checks::write_text(out, report);
    out << '\n';
    return;
  }
  for (size_t i = 0; i < report.findings.size() && i < *most; ++i) {
    const bool wrong = info(report.findings[i].kind).severity != Severity::Note;
    write_indented(out, (wrong ? "!! " : "   ") + line_of(report.findings[i], report.root), 2, width);
  }
  write_indented(out, checks::summary(report), 2, width);
  if (!report.findings.empty()) out << "  More: " << style.bold("--details") << '\n';
  out << '\n';
}

}  // namespace drywarp::report
