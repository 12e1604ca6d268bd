#include "faces/grade/exercise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <regex>

namespace drywarp::grade {
namespace {

// In the order of Kind.
constexpr std::array kKinds = {"exit",     "output", "output_contains", "output_matches", "output_as_solution",
                               "launches", "expect"};
constexpr unsigned kMostPoints = 1000;
constexpr double kLongest = 3600;  // seconds

constexpr const char* kExerciseKeys = "it has title, lesson, task, device, time_limit, arguments, solution and check";

class ExerciseReader {
 public:
  explicit ExerciseReader(const std::string& path) : path_(path) {}

  Result<Exercise> read(const toml::table& root) {
    for (const auto& [name, value] : root) {
      if (name == "title")
        e_.title = text(value, "title");
      else if (name == "lesson")
        e_.lesson = text(value, "lesson");
      else if (name == "task")
        e_.task = text(value, "task");
      else if (name == "device")
        e_.device = text(value, "device"), e_.device_at = at(value);
      else if (name == "time_limit")
        e_.time_limit = seconds(value);
      else if (name == "arguments")
        arguments(value);
      else if (name == "solution")
        e_.solution = (std::filesystem::path(path_).parent_path() / text(value, "solution")).string();
      else if (name == "check")
        checks(value);
      else
        fail(at(value), fmt::format("an exercise has no '{}'", name.str()), kExerciseKeys);
    }
    if (e_.title.empty()) fail({path_, 1, 1}, "the exercise has no title", "title = \"Scale a matrix\"");
    if (e_.checks.empty()) fail({path_, 1, 1}, "the exercise checks nothing", "[[check]]");
    if (e_.solution.empty())
      for (const Check& c : e_.checks)
        if (compares(c)) fail(c.where, "this check needs a solution to compare with", "solution = \"solution.cu\"");
    if (problem_) return *problem_;
    return std::move(e_);
  }

  static bool compares(const Check& c) {
    return c.kind == Kind::OutputAsSolution || (c.expectation && c.expectation->bound.baseline);
  }

 private:
  [[nodiscard]] SourceLocation at(const toml::node& node) const {
    return {path_, node.source().begin.line, node.source().begin.column};
  }
  // Only the first problem is reported.
  void fail(SourceLocation where, std::string what, std::string hint = {}) {
    if (!problem_) problem_ = error_at(std::move(where), std::move(what), std::move(hint));
  }

  std::string text(const toml::node& node, std::string_view name) {
    if (node.is_string() && !node.as_string()->get().empty()) return node.as_string()->get();
    fail(at(node), fmt::format("'{}' must be a text", name));
    return {};
  }
  int64_t integer(const toml::node& node, std::string_view name, int64_t least, int64_t most) {
    const auto value = node.is_integer() ? node.as_integer()->get() : least - 1;
    if (value < least || value > most)
      fail(at(node), fmt::format("'{}' must be an integer from {} to {}", name, least, most));
    return value;
  }
  double seconds(const toml::node& node) {
    const double value = node.value<double>().value_or(0);
    if (!node.is_number() || !(value > 0) || value > kLongest)
      fail(at(node), fmt::format("'time_limit' must be a number of seconds, up to {}", kLongest));
    return value;
  }
  void arguments(const toml::node& node) {
    const toml::array* list = node.as_array();
    if (!list) return fail(at(node), "'arguments' must be a list of texts", "arguments = [\"1024\"]");
    for (const toml::node& one : *list)
      if (one.is_string())
        e_.arguments.push_back(one.as_string()->get());
      else
        fail(at(one), "'arguments' must be a list of texts", "arguments = [\"1024\"]");
  }

  void checks(const toml::node& node) {
    const toml::array* all = node.as_array();
    if (!all) return fail(at(node), "'check' must be tables", "[[check]]");
    for (const toml::node& one : *all) {
      const toml::table* table = one.as_table();
      if (!table) return fail(at(one), "'check' must be tables", "[[check]]");
      check(*table);
    }
  }

  void check(const toml::table& table) {
    Check c;
    c.where = at(table);
    std::string kernel;
    const toml::node* subject = nullptr;
    const toml::node* selects = nullptr;
    for (const auto& [name, value] : table) {
      if (name == "points") {
        c.points = static_cast<unsigned>(integer(value, "points", 1, kMostPoints));
      } else if (name == "says") {
        c.says = text(value, "says");
      } else if (name == "hint") {
        c.hint = text(value, "hint");
      } else if (name == "kernel") {
        kernel = text(value, "kernel"), selects = &value;
      } else if (name == "line_with") {
        c.line_with = text(value, "line_with"), selects = &value;
      } else if (const auto kind = std::ranges::find(kKinds, name.str()); kind == kKinds.end()) {
        fail(at(value), fmt::format("[[check]] has no '{}'", name.str()),
             fmt::format("it has points, says, hint, kernel, line_with, and one of {}", fmt::join(kKinds, ", ")));
      } else if (subject) {
        fail(at(value), fmt::format("a check has either '{}' or '{}'", key(c.kind), name.str()), "write two checks");
      } else {
        c.kind = static_cast<Kind>(kind - kKinds.begin()), subject = &value;
      }
    }
    if (c.points == 0) fail(c.where, "[[check]] has no 'points'", "points = 2");
    if (c.says.empty()) fail(c.where, "[[check]] has no 'says'", "says = \"Every load is coalesced.\"");
    if (!subject)
      return fail(c.where, "[[check]] checks nothing", fmt::format("it has one of {}", fmt::join(kKinds, ", ")));
    if (selects && c.kind != Kind::Expect)
      fail(at(*selects), "'kernel' and 'line_with' belong to 'expect'", "launches = \"scale*\" names a kernel");
    wanted(c, *subject, std::move(kernel));
    if (!problem_) e_.checks.push_back(std::move(c));
  }

  // What the check's subject must be.
  void wanted(Check& c, const toml::node& node, std::string kernel) {
    switch (c.kind) {
      case Kind::Exit:
        c.exit_code = static_cast<int>(integer(node, key(c.kind), 0, 255));
        break;
      case Kind::OutputAsSolution:
        if (!node.is_boolean() || !node.as_boolean()->get()) fail(at(node), "'output_as_solution' can only be true");
        break;
      case Kind::Expect:
        expectation(c, node, std::move(kernel));
        break;
      case Kind::OutputMatches:
        c.text = text(node, key(c.kind));
        pattern(c.text, node);
        break;
      case Kind::Output:
      case Kind::OutputContains:
      case Kind::Launches:
        c.text = text(node, key(c.kind));
        break;
    }
  }
  void pattern(const std::string& text, const toml::node& node) {
    try {
      (void)std::regex(text, std::regex::ECMAScript);
    } catch (const std::regex_error&) {
      fail(at(node), fmt::format("'{}' is no regular expression", text), "the syntax is ECMAScript's");
    }
  }
  void expectation(Check& c, const toml::node& node, std::string kernel) {
    const std::string what = text(node, key(c.kind));
    if (problem_) return;
    SourceLocation inside = at(node);
    ++inside.column;  // behind the quotation mark
    auto parsed = gates::parse_expectation(what, inside, {std::move(kernel), std::nullopt});
    if (!parsed) return fail(parsed.problem().location, parsed.problem().message, parsed.problem().hint);
    c.expectation = std::move(*parsed);
    if (c.line_with.empty()) return;
    if (c.expectation->line) return fail(at(node), "'line:' and 'line_with' both name a line");
    if (c.expectation->needs_time() || c.expectation->metric->group == metrics::Group::Launch)
      fail(at(node), fmt::format("{} is a metric of whole launches, not of lines", c.expectation->metric_name),
           "leave out 'line_with'");
  }

  std::string path_;
  Exercise e_;
  std::optional<Diagnostic> problem_;
};

}  // namespace

const char* key(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

unsigned Exercise::points() const {
  return std::accumulate(checks.begin(), checks.end(), 0U, [](unsigned sum, const Check& c) { return sum + c.points; });
}
bool Exercise::needs_time() const {
  return std::ranges::any_of(checks, [](const Check& c) { return c.expectation && c.expectation->needs_time(); });
}
bool Exercise::needs_solution() const { return std::ranges::any_of(checks, ExerciseReader::compares); }

Result<Exercise> parse_exercise(std::string_view text, const std::string& path) {
  try {
    return ExerciseReader(path).read(toml::parse(text, path));
  } catch (const toml::parse_error& problem) {
    const auto& begin = problem.source().begin;
    return error_at({path, begin.line, begin.column}, std::string(problem.description()));
  }
}

}  // namespace drywarp::grade
