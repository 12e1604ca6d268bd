#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "base/support/plural.h"
#include "faces/grade/writers.h"
#include "profile/report/writers/layout.h"

namespace drywarp::grade {
namespace {

constexpr size_t kWidth = 80;

// "  head  text", the text over as many lines as it needs, all below each other.
void write_item(std::ostream& out, const std::string& head, const std::string& text) {
  const auto lines = report::wrapped(text, kWidth - head.size());
  for (size_t i = 0; i < lines.size(); ++i)
    fmt::print(out, "{}{}\n", i == 0 ? head : std::string(head.size(), ' '), lines[i]);
}

// Of all numbers of points, so that they stand below each other.
size_t points_width(const Exercise& exercise) {
  return fmt::format("{}", std::ranges::max(exercise.checks, {}, &Check::points).points).size();
}

void write_title(std::ostream& out, const Exercise& exercise) {
  fmt::print(out, "{}{}\n", exercise.title,
             exercise.lesson.empty() ? "" : fmt::format(" (lesson {})", exercise.lesson));
}

void write_failure(std::ostream& out, const Check& check, const Verdict& verdict) {
  if (verdict.expected.empty()) return;
  write_item(out, "      expected  ", verdict.expected);
  write_item(out, "      found     ", verdict.found);
  for (const Line& line : verdict.lines) {
    fmt::print(out, "      {}:{}: {}\n", std::filesystem::path(line.file).filename().string(), line.number,
               line.value.empty() ? "the kernel begins here" : line.value);
    if (!line.source.empty()) fmt::print(out, "        {}\n", report::cut(line.source, kWidth - 8));
  }
  if (!check.hint.empty()) write_item(out, "      hint      ", check.hint);
}

}  // namespace

void write_task(std::ostream& out, const Exercise& exercise) {
  write_title(out, exercise);
  if (!exercise.task.empty()) fmt::print(out, "\n{}{}", exercise.task, exercise.task.ends_with('\n') ? "" : "\n");
  fmt::print(out, "\nPoints:\n");
  const size_t width = points_width(exercise);
  for (const Check& c : exercise.checks) write_item(out, fmt::format("  {:>{}}  ", c.points, width), c.says);
}

void write_text(std::ostream& out, const Exercise& exercise, const Score& score) {
  write_title(out, exercise);
  out << '\n';
  if (!score.problem.empty()) fmt::print(out, "{}\n\n", score.problem);
  if (!score.note.empty()) fmt::print(out, "{}\n\n", score.note);
  const size_t width = points_width(exercise);
  for (size_t i = 0; i < exercise.checks.size(); ++i) {
    const Check& c = exercise.checks[i];
    const Verdict& v = score.verdicts[i];
    write_item(out,
               fmt::format("  {}  {:>{}} of {:>{}}  ", v.passed ? "passed" : "FAILED", v.passed ? c.points : 0, width,
                           c.points, width),
               c.says);
    if (!v.passed) write_failure(out, c, v);
  }
  fmt::print(out, "\nScore: {} of {}\n", score.points, plural(exercise.points(), "point"));
}

}  // namespace drywarp::grade
