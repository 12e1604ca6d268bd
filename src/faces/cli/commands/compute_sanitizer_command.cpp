// `drywarp compute-sanitizer` and `cuda-memcheck`, and drywarp under their names: their options, text, XML and exit
// codes.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "cuda/launch/options.h"
#include "faces/cli/commands/sanitizer_options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/checked_run.h"
#include "faces/cli/targets/output_file.h"
#include "faces/compile/nvcc_options/installation.h"
#include "faces/profilers/nvprof/report.h"
#include "faces/profilers/sanitizer/records.h"
#include "faces/profilers/sanitizer/report.h"

namespace drywarp::cli {
namespace {

namespace sanitizer = profilers::sanitizer;

int print_sanitizer_version() {
  fmt::print(
      "drywarp {}, as a replacement for\n"
      "NVIDIA (R) Compute Sanitizer\n"
      "Version 2025.3.1\n",
      compile::drywarp_version());
  return kSuccess;
}

// compute-sanitizer's own exit codes, where nothing was checked.
constexpr int kWrongOptions = 255, kNothingRan = 1;

sanitizer::Style style_of(const SanitizerOptions& o, const char* banner) {
  sanitizer::Style style;
  style.banner = banner, style.prefix = o.prefix;
  style.races = o.races == "hazard"     ? sanitizer::Races::Hazard
                : o.races == "analysis" ? sanitizer::Races::Analysis
                                        : sanitizer::Races::All;
  const std::string& level = o.tool == "racecheck" && o.level == "auto" ? o.detect_level : o.level;
  style.least = level == "info"                        ? Severity::Note
                : level == "error" || level == "fatal" ? Severity::Error
                                                       : Severity::Warning;
  style.limit = o.limit;
  style.host_frames = o.backtrace == "yes" || o.backtrace == "host", style.host_callers = o.host_callers;
  style.paths = o.strip_paths == "no", style.parameters = o.demangle != "simple", style.quiet = o.quiet;
  return style;
}

// Files of the report, whose names may have escapes.
struct SanitizerOutputs {
  ReportOutput log, xml;
  Status open(const SanitizerOptions& o) {
    const auto open_one = [](const std::string& pattern, ReportOutput& file) {
      const Result<std::string> name = profilers::nvprof::log_file_name(pattern, getpid());
      return name ? file.open(*name) : Status(name.problem());
    };
    Status status = open_one(o.log_file, log);
    return status && o.xml == "yes" ? open_one(o.save, xml) : status;
  }
};

// What drywarp cannot do in the tool's place.
Status check_options(const SanitizerOptions& o) {
  if (!o.read.empty())
    return error(fmt::format("--read {}: drywarp cannot read compute-sanitizer's files", o.read),
                 "--xml --save FILE writes a file that others can read");
  if (o.xml == "yes" && o.save.empty()) return error("--xml needs the file of --save", "--xml --save FILE");
  if (!o.save.empty() && o.xml != "yes")
    return error("--save alone keeps compute-sanitizer's own format, which drywarp does not write",
                 "--xml --save FILE; or `drywarp check --format json -o FILE`");
  return {};
}

void leave_spaces(const SanitizerOptions& o, std::vector<Finding>& findings) {
  if (o.spaces == "all") return;
  std::erase_if(findings, [&](const Finding& f) {
    const bool shared = f.what.find("shared memory") != std::string::npos;
    return f.kind == FindingKind::Uninitialized && shared != (o.spaces == "shared");
  });
}

// Calls that misuse memory fail, too.
void leave_calls(const SanitizerOptions& o, std::vector<Finding>& findings) {
  if (o.api_errors == "no")
    std::erase_if(findings, [](const Finding& f) { return sanitizer::record_of(f).call.has_value(); });
}

int sanitize(CLI::App& app, SanitizerOptions& o, const Words& words, const char* banner) {
  ParsedWords parsed = parse_words(app, join_flag_values(words));
  if (parsed.exit_code) return *parsed.exit_code == kFailed ? kWrongOptions : *parsed.exit_code;
  if (o.version) return print_sanitizer_version();
  if (Status status = check_options(o); !status) return fail(status.problem(), kWrongOptions);
  const Result<std::string> kernels = kernel_expression(o.kernels, o.excluded);
  if (!kernels) return fail(kernels.problem(), kNothingRan);
  auto known = KnownFindings::read(o.suppressions, parsed.split.compiler);
  if (!known) return fail(known.problem(), kFailed);
  SanitizerOutputs outputs;
  if (Status status = outputs.open(o); !status) return fail(status.problem(), kFailed);
  if (parsed.split.program.empty()) parsed.split.compiler.emplace_back("-g");  // lines of the host's allocations
  auto prepared = prepare_target(parsed.split, o.run);
  if (const auto* problem = std::get_if<TargetError>(&prepared)) {
    const int code = problem->exit_code == kNotFound ? kNothingRan : problem->exit_code;
    return problem->silent ? code : fail(problem->problem, code);
  }
  auto& target = std::get<Target>(prepared);
  const Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string file = folder->path() + "/findings";

  sanitizer::Report report;
  report.tool = *parse_check_tool(o.tool);
  report.leaks = o.tool == "memcheck" && o.leak_check == "full";
  report.program = std::filesystem::path(target.request.arguments.front()).filename().string();
  std::vector<CheckTool> tools = {report.tool};
  if (report.leaks) tools.push_back(CheckTool::Leakcheck);
  auto& environment = target.request.environment;
  const CheckChoice choice = {.tools = tools,
                              .keeps_context = o.destroy == "kernel",
                              .api_errors = o.api_errors == "no" ? "no" : "all",
                              .track_unused = o.track_unused,
                              .most_unused = o.most_unused};
  for (auto& setting : check_settings(choice, file)) environment.push_back(setting);
  const auto pass = [&](const char* variable, const std::string& value) { environment.emplace_back(variable, value); };
  if (!kernels->empty()) pass(cuda::variable::kernel_filter, *kernels), pass(cuda::variable::kernel_base, "mangled");
  if (o.skip != 0) pass(cuda::variable::launch_skip, std::to_string(o.skip));
  if (o.count != 0) pass(cuda::variable::launch_count, std::to_string(o.count));

  const sanitizer::Style style = style_of(o, banner);
  std::ostream& log = outputs.log.begin();
  sanitizer::write_banner(log, style);
  log.flush();
  const Result<ChildExit> end = run_child(target.request);
  if (!end) return fail(end.problem(), kCannotRun);
  std::error_code unknown;
  const bool used_cuda = std::filesystem::exists(file, unknown);
  Result<Findings> found = read_findings(file);
  if (!found) return fail(found.problem(), kFailed);
  target.folder.reset();
  checks::CheckReport checked;
  checked.tools = tools, checked.findings = std::move(found->all);
  const Status comments = known->take_out(checked, {});
  leave_spaces(o, checked.findings);
  leave_calls(o, checked.findings);
  report.findings = std::move(checked.findings);
  const int program_code = end->signal != 0 ? 128 + end->signal : end->exit_code;
  report.exit_code = o.check_exit_code == "yes" ? program_code : 0;
  const bool missing = !used_cuda && o.require_cuda == "yes";
  if (missing)
    fmt::print(log, "{} Error: Target application terminated before first instrumented API call\n", style.prefix);
  sanitizer::write_text(log, report, style);
  if (Status status = outputs.log.finish(); !status) return fail(status.problem(), kFailed);
  if (o.xml == "yes") {
    sanitizer::write_xml(outputs.xml.begin(), report, style);
    if (Status status = outputs.xml.finish(); !status) return fail(status.problem(), kFailed);
  }
  outputs.log.close(), outputs.xml.close();
  if (!o.quiet)
    for (const std::string& note : o.notes) say("==DRYWARP== " + note + '\n');
  if (!comments) return fail(comments.problem(), kFailed);
  if (program_code == 0 && missing) return kNothingRan;
  if (program_code == 0 && sanitizer::errors(report, style) != 0 && o.error_exitcode != 0) return o.error_exitcode;
  exit_like(*end);
}

Command sanitizer_command(const char* name, const char* banner) {
  return make_command<SanitizerOptions>(
      {name,
       fmt::format(
           "drywarp {0} [options] app.cu [-- arguments]\n"
           "drywarp {0} [options] ./app [arguments]\n\n"
           "Checks a CUDA program and prints what {0} would print, with no GPU: its options, text, XML and exit "
           "codes. Findings are those of `drywarp check`, one a source line with the first thread that did "
           "it. Through a link named {0}, drywarp is `drywarp {0}`.",
           name),
       "Lines that begin with ==DRYWARP== on standard error say which options have no effect."},
      add_sanitizer_options,
      [banner](CLI::App& app, SanitizerOptions& o, const Words& words) { return sanitize(app, o, words, banner); });
}

}  // namespace

Command compute_sanitizer_command() { return sanitizer_command("compute-sanitizer", "COMPUTE-SANITIZER"); }
Command cuda_memcheck_command() { return sanitizer_command("cuda-memcheck", "CUDA-MEMCHECK"); }

}  // namespace drywarp::cli
