#include "faces/grade/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <variant>

#include "base/support/plural.h"
#include "faces/grade/output.h"
#include "profile/gates/check.h"
#include "profile/report/model/parts.h"

namespace drywarp::grade {
namespace {

std::string ended(const Attempt& a) {
  return a.signal != 0 ? fmt::format("it was killed by signal {} ({})", a.signal, strsignal(a.signal))
                       : fmt::format("exit code {}", a.exit_code);
}

Verdict failed(std::string expected, std::string found) { return {false, std::move(expected), std::move(found), {}}; }

Verdict judge_exit(const Check& c, const Attempt& a) {
  if (a.signal == 0 && a.exit_code == c.exit_code) return {true, {}, {}, {}};
  return failed(fmt::format("exit code {}", c.exit_code), ended(a));
}

// ---- the output

std::string line_text(const std::optional<std::string>& line) { return line ? shown(*line) : "the end of the output"; }

Verdict judge_whole(std::string_view expected, bool expected_cut, const Attempt& a) {
  if (const auto d = first_difference(expected, a.output))
    return failed(fmt::format("line {} of the output: {}", d->line, line_text(d->expected)), line_text(d->found));
  if (a.output_cut != expected_cut || a.output_cut)
    return failed("an output that can be compared", fmt::format("more than {} bytes of output", a.output.size()));
  return {true, {}, {}, {}};
}

std::string output_text(const Attempt& a) { return a.output.empty() ? "no output" : shown(a.output); }

// ---- counts

// The one line of the program's kernels with this text; a sentence: there is none, or more.
std::variant<LineRange, std::string> line_with(const std::string& text, const record::Profile& profile) {
  std::set<std::string> files;
  for (const auto& kernel : profile.kernels) files.insert(kernel->files.begin(), kernel->files.end());
  std::vector<LineRange> found;
  for (const std::string& file : files) {
    const std::vector<std::string> lines = report::read_source(file);
    for (uint32_t i = 0; i < lines.size(); ++i)
      if (lines[i].find(text) != std::string::npos) found.push_back({file, i + 1, i + 1});
  }
  if (found.size() == 1) return found[0];
  if (found.empty()) return fmt::format("no line of the kernels' files contains {}", shown(text));
  return fmt::format("lines {} and {} both contain {}", found[0].first, found[1].first, shown(text));
}

// Where the finding comes from, the worst first.
std::vector<Line> lines_of(const gates::Expectation& e, const gates::Finding& f) {
  std::vector<Line> lines;
  for (const gates::Place& p : f.places)
    if (p.line != 0)
      lines.push_back({p.file, p.line, p.value ? gates::value_text(e, *p.value) : std::string(), p.source});
  return lines;
}

// The baseline of an exercise is its solution.
std::string comparison_text(const gates::Expectation& e, const gates::Finding& f) {
  const std::string bound =
      fmt::format("{} {} {}", e.metric_name, gates::name(e.comparison), gates::value_text(e, f.expected));
  return f.baseline ? fmt::format("{} (the solution: {})", bound, gates::value_text(e, *f.baseline)) : bound;
}

Verdict judge_counts(const Check& c, const Attempt& a, const Attempt* solution) {
  gates::Expectation e = *c.expectation;
  if (!c.line_with.empty() && !a.profile.kernels.empty()) {
    auto line = line_with(c.line_with, a.profile);
    if (const auto* problem = std::get_if<std::string>(&line))
      return failed(fmt::format("{} on one line with {}", e.full_text(), shown(c.line_with)), *problem);
    e.line = std::get<LineRange>(line);
  }
  // Alone, for a check ends at the first expectation that matches nothing.
  const auto outcomes = gates::check({&e, 1}, a.profile, solution ? &solution->profile : nullptr);
  if (!outcomes) {
    const Diagnostic& problem = outcomes.problem();
    return failed(e.full_text(), problem.hint.empty() ? problem.message : problem.message + "; " + problem.hint);
  }
  const auto& findings = (*outcomes)[0].findings;
  const auto broken = std::ranges::find_if(findings, [](const gates::Finding& f) { return !f.holds; });
  if (broken == findings.end()) return {true, {}, {}, {}};
  const std::string where = fmt::format("{}, {}", broken->kernel, gates::launches_text(*broken));
  if (!broken->problem.empty()) return failed(e.full_text(), fmt::format("{}: {}", where, broken->problem));
  return {false, comparison_text(e, *broken),
          fmt::format("{}{} in {}", e.modelled ? "~" : "", gates::value_text(e, broken->found), where),
          lines_of(e, *broken)};
}

// A kernel's launch that failed does not count.
Verdict judge_launches(const Check& c, const Attempt& a) {
  auto counts = gates::parse_expectation("warps_launched > 0", {}, {c.text, std::nullopt});
  Check launched = c;
  launched.expectation = std::move(*counts);
  Verdict verdict = judge_counts(launched, a, nullptr);
  if (!verdict.passed) verdict.expected = fmt::format("a launch of a kernel '{}'", c.text), verdict.lines.clear();
  return verdict;
}

Verdict judge_check(const Check& c, const Attempt& a, const Attempt* solution) {
  switch (c.kind) {
    case Kind::Exit:
      return judge_exit(c, a);
    case Kind::Output:
      return judge_whole(c.text, false, a);
    case Kind::OutputContains:
      if (a.output.find(c.text) != std::string::npos) return {true, {}, {}, {}};
      return failed(fmt::format("{} in the output", shown(c.text)), output_text(a));
    case Kind::OutputMatches:
      if (some_line_matches(a.output, c.text)) return {true, {}, {}, {}};
      return failed(fmt::format("a line of output that matches {}", shown(c.text)), output_text(a));
    case Kind::OutputAsSolution:
      return judge_whole(solution->output, solution->output_cut, a);
    case Kind::Launches:
      return judge_launches(c, a);
    case Kind::Expect:
      return judge_counts(c, a, solution);
  }
  return {};
}

}  // namespace

Score judge(const Exercise& exercise, const Attempt& attempt, const Attempt* solution) {
  Score score;
  if (!attempt.compiled)
    score.problem = "The program does not compile.";
  else if (attempt.timed_out)
    score.problem =
        fmt::format("The program ran longer than {} and was killed.", plural_real(exercise.time_limit, "second"));
  else if (attempt.signal != 0)
    score.note = fmt::format("The program crashed: {}.", ended(attempt));
  for (const Check& c : exercise.checks) {
    score.verdicts.push_back(score.problem.empty() ? judge_check(c, attempt, solution) : Verdict{});
    if (score.verdicts.back().passed) score.points += c.points;
  }
  return score;
}

}  // namespace drywarp::grade
