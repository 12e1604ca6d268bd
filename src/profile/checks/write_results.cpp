// Findings as the results that CI servers and code hosts read.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "profile/checks/report.h"
#include "profile/checks/short_paths.h"
#include "profile/results/results.h"

namespace drywarp::checks {
namespace {

void add_location(std::vector<results::Location>& to, const CodeLine& where, const std::string& message) {
  if (where.line != 0) to.push_back({where.file, where.line, {}, message});
}

std::string sentence_of(const Finding& f, const std::string& root) {
  const std::string text = with_short_paths(message(f), root);
  return f.kernel.empty() ? text : fmt::format("{}: {}", f.kernel, text);
}

results::Problem problem_of(const Finding& f, const std::string& root) {
  results::Problem p;
  p.rule = info(f.kind).key;
  p.severity = info(f.kind).severity;
  p.title = info(f.kind).title;
  p.message = sentence_of(f, root);
  add_location(p.locations, f.where, {});
  if (f.other) add_location(p.related, f.other->where, f.other->what);
  return p;
}

std::vector<results::Problem> problems_of(const CheckReport& report) {
  std::vector<results::Problem> all;
  for (const Finding& f : report.findings) all.push_back(problem_of(f, report.root));
  return all;
}

results::Rule rule_of(FindingKind kind) {
  return {info(kind).key, info(kind).title, fmt::format("{}: {}", name(info(kind).tool), info(kind).title)};
}

results::TestCase case_of(const Finding& f, const std::string& root) {
  CodeLine where = f.where;
  where.file = results::relative_to(where.file, root);
  const std::string place = to_string(where);
  return {name(info(f.kind).tool), fmt::format("{}{}{}", info(f.kind).key, place.empty() ? "" : " at ", place), {}, {}};
}

// CI servers know a case by its name: of those with one name they show the last.
void number_equal_names(std::vector<results::TestCase>& cases) {
  std::map<std::pair<std::string, std::string>, unsigned> known;
  for (results::TestCase& c : cases)
    if (const unsigned number = ++known[{c.group, c.name}]; number != 1) c.name += fmt::format(" ({})", number);
}

}  // namespace

void write_sarif(std::ostream& out, const CheckReport& report) {
  std::vector<results::Rule> rules;
  for (const FindingKindInfo& kind : finding_kinds())
    if (std::ranges::find(report.tools, kind.tool) != report.tools.end()) rules.push_back(rule_of(kind.kind));
  std::vector<results::Problem> problems = problems_of(report);
  for (const Suppressed& s : report.suppressed) {
    problems.push_back(problem_of(s.finding, report.root));
    problems.back().suppression = {s.by.in_source, s.by.reason, {s.by.where.file, s.by.where.line, {}, {}}};
  }
  for (const Finding& f : report.findings) rules.push_back(rule_of(f.kind));
  for (const Suppressed& s : report.suppressed) rules.push_back(rule_of(s.finding.kind));
  results::write_sarif(out, rules, problems, report.version, report.root);
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
      cases.push_back(case_of(f, report.root));
      cases.back().failure = {info(f.kind).title, info(f.kind).key, sentence_of(f, report.root) + "\n"};
    }
    if (cases.size() == before) cases.push_back({name(tool), "no problem", {}, {}});
    for (const Suppressed& s : report.suppressed) {
      if (info(s.finding.kind).tool != tool) continue;
      cases.push_back(case_of(s.finding, report.root));
      cases.back().skipped = fmt::format("suppressed: {}", s.by.reason);
    }
  }
  number_equal_names(cases);
  results::write_junit(out, cases, report.program);
}

}  // namespace drywarp::checks
