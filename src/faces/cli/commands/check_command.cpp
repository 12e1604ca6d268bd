// `drywarp check`: what compute-sanitizer would find, and what it cannot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cuda/launch/launch_checks.h"
#include "cuda/launch/options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/calls_of_findings.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/output_file.h"
#include "faces/cli/targets/target.h"
#include "faces/compile/nvcc_options/installation.h"
#include "profile/checks/report.h"

namespace drywarp::cli {
namespace {

struct CheckOptions {
  RunOptions run;
  Filters filters;
  std::vector<std::string> tools;
  std::string format = "text", output, destroy = "context";
  int error_exitcode = kBroken;
  bool strict = false;
  std::string api_errors = "explicit";
  bool track_unused = false;
  double most_unused = 0;
};

// What runs without --tool: leaks are many programs' habit.
constexpr const char* kDefaultTools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
constexpr const char* kTools[] = {"memcheck", "racecheck", "initcheck", "synccheck", "leakcheck"};

std::string format_names() {
  std::vector<std::string> names;
  for (const checks::CheckFormat& f : checks::check_formats()) names.emplace_back(f.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

void add_options(CLI::App& app, CheckOptions& o) {
  app.add_option("--tool", o.tools,
                 fmt::format("what to look for, comma-separated: {}; without it: {}", fmt::join(kTools, ", "),
                             fmt::join(kDefaultTools, ", ")))
      ->type_name("TOOLS")
      ->delimiter(',');
  app.add_option("--format", o.format,
                 "of the report; json, sarif and junit on standard output send the program's output to standard error")
      ->type_name(format_names())
      ->capture_default_str();
  app.add_option("-o,--output", o.output, "write the report to a file, not to standard output")->type_name("FILE");
  app.add_option("--error-exitcode", o.error_exitcode,
                 "the exit code if something was found and the program itself succeeded; 0: the program's")
      ->type_name("N")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  app.add_flag("--strict", o.strict, "stop a launch at its first bad access; otherwise lanes leave it out and go on");
  app.add_option("--destroy-on-device-error", o.destroy,
                 "context: the program sees the error of a bad access, as on a GPU; kernel: it goes on without")
      ->type_name("context|kernel")
      ->check(CLI::IsMember({"context", "kernel"}))
      ->capture_default_str();
  app.add_option("--report-api-errors", o.api_errors,
                 "memcheck: calls of CUDA that fail are findings; no: only those that misuse memory")
      ->type_name("all|explicit|no")
      ->check(CLI::IsMember({"all", "explicit", "no"}))
      ->capture_default_str();
  app.add_flag("--track-unused-memory", o.track_unused,
               "initcheck: note allocations that the device never accesses, or not wholly");
  app.add_option("--unused-memory-threshold", o.most_unused,
                 "say nothing of an allocation of which no more than N percent are unused")
      ->type_name("N")
      ->check(CLI::Range(0.0, 100.0));
  app.add_option("--kernel-name", o.filters.kernel,
                 "check only kernels whose demangled name matches (ECMAScript, anywhere in the name)")
      ->type_name("REGEX");
  app.add_option("--launch-skip", o.filters.launch_skip, "skip the first N matching launches")->type_name("N");
  app.add_option("--launch-count", o.filters.launch_count, "then check N launches")->type_name("N")->check(integer(1));
  add_run_options(app, o.run);
}

Result<std::vector<CheckTool>> chosen_tools(const CheckOptions& o) {
  std::vector<std::string> names = o.tools;
  if (names.empty()) names.assign(std::begin(kDefaultTools), std::end(kDefaultTools));
  std::vector<CheckTool> tools;
  for (const std::string& name : names) {
    const bool there = std::ranges::find(kTools, name) != std::end(kTools);
    const auto tool = parse_check_tool(name);
    if (!there)
      return error(fmt::format("--tool {}: {}", name, tool ? "drywarp has no such check yet" : "there is no such tool"),
                   fmt::format("there are: {}", fmt::join(kTools, ", ")));
    if (std::ranges::find(tools, *tool) == tools.end()) tools.push_back(*tool);
  }
  std::ranges::sort(tools);
  return tools;
}

// Adds what the program's session wrote.
Status read_findings(const std::string& path, checks::CheckReport& report) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(cuda::kLaunchesLine)) {
      report.launches += std::strtoull(line.c_str() + cuda::kLaunchesLine.size(), nullptr, 10);
      continue;
    }
    const Result<Finding> finding = parse_finding(line);
    if (!finding) return finding.problem();
    add(report.findings, std::vector{*finding});
  }
  name_calls(report.findings);
  sort(report.findings);
  return {};
}

std::string names_of(const std::vector<CheckTool>& tools) {
  std::vector<std::string> names;
  for (const CheckTool tool : tools) names.emplace_back(name(tool));
  return fmt::format("{}", fmt::join(names, ","));
}

int check_program(CLI::App& app, CheckOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto format = std::ranges::find_if(checks::check_formats(), [&](const auto& f) { return o.format == f.name; });
  if (format == checks::check_formats().end())
    return fail(error(fmt::format("--format {}: there is no such format", o.format), "one of " + format_names()),
                kFailed);
  const auto tools = chosen_tools(o);
  if (!tools) return fail(tools.problem(), kFailed);
  if (Status status = check_pattern(o.filters.kernel); !status) return fail(status.problem(), kFailed);
  ReportOutput output;
  if (Status status = output.open(o.output); !status) return fail(status.problem(), kFailed);
  if (parsed.split.program.empty()) parsed.split.compiler.emplace_back("-g");  // lines of the host's allocations
  auto prepared = prepare_target(parsed.split, o.run);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  auto& target = std::get<Target>(prepared);
  const Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string findings = folder->path() + "/findings";
  auto& environment = target.request.environment;
  pass_filters(target.request, o.filters);
  environment.emplace_back(cuda::variable::checks, names_of(*tools));
  environment.emplace_back(cuda::variable::findings, findings);
  environment.emplace_back(cuda::variable::api_errors, o.api_errors);
  if (o.track_unused) environment.emplace_back(cuda::variable::track_unused, "1");
  environment.emplace_back(cuda::variable::most_unused, fmt::format("{}", o.most_unused));
  if (o.strict) environment.emplace_back(cuda::variable::strict, "1");
  if (o.destroy == "kernel") environment.emplace_back(cuda::variable::keeps_context, "1");
  target.request.output_to_errors = !format->terminal && !output.to_file();

  checks::CheckReport report;
  report.program = fmt::format("{}", fmt::join(target.request.arguments, " "));
  report.version = compile::drywarp_version();
  report.root = std::filesystem::current_path().string();
  report.tools = *tools;
  const Result<ChildExit> end = run_child(target.request);
  if (!end) return fail(end.problem(), kCannotRun);
  if (Status status = read_findings(findings, report); !status) return fail(status.problem(), kFailed);
  target.folder.reset();
  if (report.launches == 0 && report.findings.empty())
    warn(o.filters.kernel.empty() ? "the program launched no kernel: nothing was checked"
                                  : "no launch matched: nothing was checked");
  format->write(output.begin(), report);
  if (Status status = output.finish(); !status) return fail(status.problem(), kFailed);
  output.close();
  const bool failed = end->signal != 0 || end->exit_code != 0;
  if (!failed && checks::problems(report) != 0 && o.error_exitcode != 0) return o.error_exitcode;
  exit_like(*end);
}

}  // namespace

Command check_command() {
  return make_command<CheckOptions>(
      {"check",
       "drywarp check [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp check [options] ./app [arguments]\n\n"
       "Runs a CUDA program on the CPU and reports what its kernels do that CUDA leaves undefined: what "
       "compute-sanitizer would find on a GPU.",
       "Compile options are nvcc's: see `drywarp nvcc --help`.\n\n"
       "The exit code is the program's if that is not 0; else 123 if something was found. Notes do not count. 125, 126 "
       "and 127 mean that it did not run or that there is no report."},
      add_options, check_program);
}

}  // namespace drywarp::cli
