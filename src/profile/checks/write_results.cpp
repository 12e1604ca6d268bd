// Findings as the results that CI servers and code hosts read.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "profile/checks/report.h"
#include "profile/results/results.h"

namespace drywarp::checks {
namespace {

void add_location(std::vector<results::Location>& to, const CodeLine& where, const std::string& message) {
  if (where.line != 0) to.push_back({where.file, where.line, {}, message});
}

std::vector<results::Problem> problems_of(const CheckReport& report) {
  std::vector<results::Problem> all;
  for (const Finding& f : report.findings) {
    results::Problem p;
    p.rule = info(f.kind).key;
    p.severity = info(f.kind).severity;
    p.title = info(f.kind).title;
    p.message = f.kernel.empty() ? message(f) : fmt::format("{}: {}", f.kernel, message(f));
    add_location(p.locations, f.where, {});
    if (f.other) add_location(p.related, f.other->where, f.other->what);
    all.push_back(std::move(p));
  }
  return all;
}

}  // namespace

void write_sarif(std::ostream& out, const CheckReport& report) {
  std::vector<results::Rule> rules;
  for (const FindingKindInfo& kind : finding_kinds())
    if (std::ranges::find(report.tools, kind.tool) != report.tools.end())
      rules.push_back({kind.key, kind.title, fmt::format("{}: {}", name(kind.tool), kind.title)});
  for (const Finding& f : report.findings)
    rules.push_back(
        {info(f.kind).key, info(f.kind).title, fmt::format("{}: {}", name(info(f.kind).tool), info(f.kind).title)});
  results::write_sarif(out, rules, problems_of(report), report.version, report.root);
}

void write_github(std::ostream& out, const CheckReport& report) {
  results::write_github(out, problems_of(report), report.root);
}

void write_junit(std::ostream& out, const CheckReport& report) {
  std::vector<results::TestCase> cases;
  for (const CheckTool tool : report.tools) {
    const size_t before = cases.size();
    for (const Finding& f : report.findings) {
      if (info(f.kind).tool != tool || info(f.kind).severity == Severity::Note) continue;
      const std::string place = to_string(f.where);
      cases.push_back({name(tool), fmt::format("{}{}{}", info(f.kind).key, place.empty() ? "" : " at ", place), {}});
      cases.back().failure = {info(f.kind).title, info(f.kind).key, fmt::format("{}: {}\n", f.kernel, message(f))};
    }
    if (cases.size() == before) cases.push_back({name(tool), "no problem", {}});
  }
  results::write_junit(out, cases, report.program);
}

}  // namespace drywarp::checks
