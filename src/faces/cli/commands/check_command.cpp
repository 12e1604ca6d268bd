// `drywarp check`: what compute-sanitizer would find, and what it cannot.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/checked_run.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/known_findings.h"
#include "faces/cli/targets/output_file.h"
#include "faces/cli/targets/target.h"
#include "faces/compile/nvcc_options/installation.h"
#include "profile/checks/report.h"

namespace drywarp::cli {
namespace {

struct CheckOptions {
  RunOptions run;
  Filters filters;
  SuppressionOptions suppressions;
  std::vector<std::string> tools;
  std::string format = "text", output, destroy = "context";
  int error_exitcode = kBroken;
  std::string api_errors = "explicit";
  bool track_unused = false;
  double most_unused = 0;
};

std::string format_names() {
  std::vector<std::string> names;
  for (const checks::CheckFormat& f : checks::check_formats()) names.emplace_back(f.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

void add_options(CLI::App& app, CheckOptions& o) {
  app.add_option("--tool", o.tools,
                 fmt::format("what to look for, comma-separated: {}; without it: {}", names_of(all_tools(), ", "),
                             names_of(kDefaultTools, ", ")))
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
  app.add_option("--destroy-on-device-error", o.destroy,
                 "context: the program sees the error of a bad access, as on a GPU; kernel: it goes on without")
      ->type_name("context|kernel")
      ->check(CLI::IsMember({"context", "kernel"}))
      ->capture_default_str();
  app.add_option("--report-api-errors", o.api_errors,
                 "memcheck: calls of CUDA that fail are findings; all: those that give an earlier error, too; no: only "
                 "those that misuse memory")
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
  add_suppression_options(app, o.suppressions);
  add_run_options(app, o.run);
}

int check_program(CLI::App& app, CheckOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  const auto format = std::ranges::find_if(checks::check_formats(), [&](const auto& f) { return o.format == f.name; });
  if (format == checks::check_formats().end())
    return fail(error(fmt::format("--format {}: there is no such format", o.format), "one of " + format_names()),
                kFailed);
  const auto tools = parse_tools(o.tools, "--tool");
  if (!tools) return fail(tools.problem(), kFailed);
  if (Status status = check_pattern(o.filters.kernel); !status) return fail(status.problem(), kFailed);
  auto known = KnownFindings::read(o.suppressions, parsed.split.compiler);
  if (!known) return fail(known.problem(), kFailed);
  ReportOutput output;
  if (Status status = output.open(o.output); !status) return fail(status.problem(), kFailed);
  if (parsed.split.program.empty()) parsed.split.compiler.emplace_back("-g");  // lines of the host's allocations
  o.run.red_zones = std::ranges::find(*tools, CheckTool::Memcheck) != tools->end();
  o.run.own_lines = true;
  auto prepared = prepare_target(parsed.split, o.run);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  auto& target = std::get<Target>(prepared);
  const Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string file = folder->path() + "/findings";
  pass_filters(target.request, o.filters);
  const auto settings =
      check_settings({*tools, o.destroy == "kernel", o.api_errors, o.track_unused, o.most_unused}, file);
  target.request.environment.insert(target.request.environment.end(), settings.begin(), settings.end());
  target.request.output_to_errors = !format->terminal && !output.to_file();

  const Result<ChildExit> end = run_child(target.request);
  if (!end) return fail(end.problem(), kCannotRun);
  Result<Findings> found = read_findings(file);
  if (!found) return fail(found.problem(), kFailed);
  target.folder.reset();
  if (found->launches.checked + found->launches.cut == 0 && found->all.empty())
    warn(o.filters.kernel.empty() ? "the program launched no kernel: nothing was checked"
                                  : "no launch matched: nothing was checked");
  checks::CheckReport report;
  report.program = fmt::format("{}", fmt::join(target.request.arguments, " "));
  report.version = compile::drywarp_version();
  report.root = std::filesystem::current_path().string();
  report.tools = *tools;
  report.launches = found->launches;
  report.findings = std::move(found->all);
  sort(report.findings);
  const Status comments = known->take_out(report, o.filters);
  format->write(output.begin(), report);
  if (Status status = output.finish(); !status) return fail(status.problem(), kFailed);
  output.close();
  if (Status status = known->write(report); !status) return fail(status.problem(), kFailed);
  if (!comments) return fail(comments.problem(), kFailed);
  const bool failed = end->signal != 0 || end->exit_code != 0;
  const bool passes = checks::problems(report) == 0 && report.launches.cut == 0;
  if (!failed && !passes && o.error_exitcode != 0) return o.error_exitcode;
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
       "The exit code is the program's if that is not 0; else 123 if something was found or a launch was cut short. "
       "Notes do not count. 125, 126 "
       "and 127 mean that it did not run or that there is no report."},
      add_options, check_program);
}

}  // namespace drywarp::cli
