// `drywarp grade exercise.toml app.cu`
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/support/whole_file.h"
#include "cuda/launch/options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/counted_run.h"
#include "faces/grade/judge.h"
#include "faces/grade/writers.h"

namespace drywarp::cli {
namespace {

constexpr double kCompileSeconds = 300;  // what takes longer does not compile

struct GradeOptions {
  std::string exercise, format = "text";
};

void add_grade_options(CLI::App& app, GradeOptions& o) {
  app.add_option("exercise", o.exercise, "the exercise; without a program behind it, its task is printed")
      ->type_name("FILE.toml")
      ->required();
  app.add_option("--format", o.format, "how the score is written")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

// The exercise is the first word that ends in .toml; for the others it would be the program.
ParsedWords parse_grade_words(CLI::App& app, Words words) {
  Words exercise;
  const auto named = std::ranges::find_if(words, [](const std::string& w) { return w.ends_with(".toml"); });
  if (named != words.end()) exercise = {*named}, words.erase(named);
  ParsedWords parsed;
  auto split = split_arguments(app, words);
  if (!split) {
    parsed.exit_code = fail(split.problem(), kFailed);
    return parsed;
  }
  parsed.split = std::move(*split);
  Words own = parsed.split.own;
  own.insert(own.end(), exercise.begin(), exercise.end());
  parsed.exit_code = parse_own(app, own);
  return parsed;
}

Result<grade::Exercise> read_exercise(const std::string& path) {
  const std::optional<std::string> text = read_whole(path);
  if (!text) return error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  auto exercise = grade::parse_exercise(*text, path);
  if (!exercise) return exercise;
  RunOptions run;
  run.device = exercise->device;
  if (Status status = check_device(run); !status)
    return error_at(exercise->device_at, status.problem().message, status.problem().hint);
  return exercise;
}

// An exit code: the program could not be tried, and the reason has been printed.
std::variant<grade::Attempt, int> attempt(const grade::Exercise& exercise, const SplitArguments& split) {
  CountedOptions options;
  options.run.device = exercise.device;
  options.run.timeout_seconds = kCompileSeconds;
  auto prepared = prepare_counted(split, options);
  grade::Attempt a;
  if (const auto* problem = std::get_if<TargetError>(&prepared)) {
    if (!problem->silent) return fail(problem->problem, problem->exit_code);
    a.compiled = false;
    return a;
  }
  auto captured = CapturedOutput::silently();
  if (!captured) return fail(captured.problem(), kFailed);
  Wanted wanted;
  wanted.purpose = "grade";
  wanted.as_is = wanted.no_input = true;
  wanted.captured = &*captured;
  wanted.limit_seconds = exercise.time_limit;
  // A kernel that hangs is stopped before the program is: drywarp then says where its warps are.
  wanted.settings = {{cuda::variable::time, exercise.needs_time() ? "auto" : "off"},
                     {cuda::variable::timeout_seconds, fmt::format("{}", exercise.time_limit / 2)}};
  auto ran = run_prepared(std::move(std::get<Target>(prepared)), {}, wanted);
  if (const int* code = std::get_if<int>(&ran)) return *code;
  auto& run = std::get<CountedRun>(ran);
  a.exit_code = run.end.exit_code, a.signal = run.end.signal, a.timed_out = run.end.timed_out;
  a.output = captured->text(), a.output_cut = captured->cut();
  a.profile = std::move(run.profile);
  return a;
}

// Of the program that the exercise compares with.
std::variant<grade::Attempt, int> attempt_solution(const grade::Exercise& exercise) {
  SplitArguments split;
  split.compiler = {exercise.solution};
  split.arguments = exercise.arguments;
  auto tried = attempt(exercise, split);
  if (const auto* a = std::get_if<grade::Attempt>(&tried); a && (!a->compiled || a->timed_out || a->signal != 0))
    return fail(error(fmt::format("the exercise's solution '{}' {}", exercise.solution,
                                  !a->compiled   ? "does not compile"
                                  : a->timed_out ? "exceeds the time limit"
                                                 : "crashes")),
                kFailed);
  return tried;
}

int grade_program(CLI::App& app, GradeOptions& o, const Words& words) {
  ParsedWords parsed = parse_grade_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto exercise = read_exercise(o.exercise);
  if (!exercise) return fail(exercise.problem(), kFailed);
  SplitArguments& split = parsed.split;
  if (split.program.empty() && split.compiler.empty()) return grade::write_task(std::cout, *exercise), kSuccess;
  if (!split.arguments.empty())
    return fail(error("the exercise says with which arguments the program runs", "leave them out"), kFailed);
  split.arguments = exercise->arguments;
  std::optional<grade::Attempt> solution;
  if (exercise->needs_solution()) {
    auto tried = attempt_solution(*exercise);
    if (const int* code = std::get_if<int>(&tried)) return *code;
    solution = std::move(std::get<grade::Attempt>(tried));
  }
  const auto tried = attempt(*exercise, split);
  if (const int* code = std::get_if<int>(&tried)) return *code;
  const grade::Score score = grade::judge(*exercise, std::get<grade::Attempt>(tried), solution ? &*solution : nullptr);
  if (o.format == "json")
    grade::write_json(std::cout, *exercise, score, split.program.empty() ? split.compiler.back() : split.program);
  else
    grade::write_text(std::cout, *exercise, score);
  return score.points == exercise->points() ? kSuccess : kBroken;
}

}  // namespace

Command grade_command() {
  return make_command<GradeOptions>(
      {"grade",
       "drywarp grade [options] exercise.toml [compile options] app.cu...\n"
       "drywarp grade [options] exercise.toml ./app\n"
       "drywarp grade exercise.toml\n\n"
       "Runs a learner's program and holds it to an exercise: its result, its kernels and their counts. Prints the "
       "points of each check, and of those that failed what was expected, what was found, on which line, and a hint. "
       "Without a program it prints the task.",
       "Compile options are nvcc's: see `drywarp nvcc --help`. The program's output is not shown; its standard error "
       "is. It reads no input.\n\n"
       "The exit code is 0 for every point, and 123 for fewer, also if the program does not compile, crashes or does "
       "not end. 125, 126 and 127 mean that there is no score: a wrong exercise, no such program."},
      add_grade_options, grade_program);
}

}  // namespace drywarp::cli
