#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cuda/launch/options.h"
#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/ptx_target.h"
#include "faces/cli/targets/target.h"
#include "model/whatif/what_if.h"
#include "profile/report/writers/what_if.h"
#include "profile/store/profile_reader.h"

namespace drywarp::cli {
namespace {

struct WhatIfOptions {
  RunOptions run;
  PtxOptions ptx;
  CompiledOptions compiled;
  std::string changes = "all", kernel, format = "text", time = "auto";
  std::vector<std::string> lines;
  uint64_t launch_skip = 0, launch_count = 0;
  bool list = false;
};

void add_what_if_options(CLI::App& app, WhatIfOptions& o) {
  app.add_option("--change", o.changes, "comma-separated changes that --list explains, or 'all'")
      ->type_name("CHANGES")
      ->capture_default_str();
  app.add_option("--only-lines", o.lines, "the time if only these source lines cost anything; may be repeated")
      ->type_name("FILE:A-B")
      ->take_all()
      ->expected(1);
  app.add_flag("--list", o.list, "explain every change, and exit");
  app.add_option("--kernel", o.kernel,
                 "only kernels whose demangled name matches (ECMAScript, anywhere in the name); it is an error if none "
                 "does")
      ->type_name("REGEX");
  app.add_option("--launch-skip", o.launch_skip,
                 "skip the first N of the matching launches; it is an error to skip all")
      ->type_name("N")
      ->check(integer(0));
  app.add_option("--launch-count", o.launch_count, "then take N launches")->type_name("N")->check(integer(1));
  app.add_option("--format", o.format, "report format")->type_name("text|csv|json")->capture_default_str();
  app.add_flag("--time{all}", o.time,
               "model how many launches: auto, the default, bounds the work; all is every launch")
      ->check(CLI::IsMember({"auto", "all"}));
  add_compiled_options(app, o.compiled);
  add_run_options(app, o.run);
  add_ptx_options(app, o.ptx);
}

void list_changes() {
  for (unsigned s = 0; s < whatif::kScenarios; ++s) {
    const auto scenario = static_cast<whatif::Scenario>(s);
    fmt::print("{:<20} {}\n", whatif::key(scenario), whatif::text(scenario));
  }
}

std::string questions(const WhatIfOptions& o) {
  std::string all = o.changes;
  for (const std::string& line : o.lines) all += ",line " + line;
  return all;
}

Status check(const WhatIfOptions& o) {
  if (auto parsed = whatif::parse_questions(questions(o)); !parsed) return parsed.problem();
  if (Status status = check_pattern(o.kernel); !status) return status;
  if (auto compiled = read_compiled(o.compiled); !compiled) return compiled.problem();
  return {};
}

int report(const std::string& file, const WhatIfOptions& o, report::Format format, int exit_code) {
  if (access(file.c_str(), F_OK) != 0)
    return fail(error("the program never used the CUDA runtime: there is nothing to model"), kFailed);
  Result<record::Profile> profile = store::read_profile(file);
  if (!profile) return fail(profile.problem(), kFailed);
  if (Status status = check_filters({o.kernel, o.launch_skip, {}}, *profile); !status)
    return fail(status.problem(), kFailed);
  report::ReportOptions options;
  options.format = format;
  options.colour = isatty(STDOUT_FILENO) == 1 && takes_colour(STDOUT_FILENO);
  const Status written = report::write_what_if(std::cout, *profile, options);
  if (!written) return fail(written.problem(), kFailed);
  return exit_code;
}

int what_if(CLI::App& app, WhatIfOptions& o, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (o.list) return list_changes(), kSuccess;
  Result<report::Format> format = report::parse_format(o.format);
  if (!format) return fail(format.problem(), kFailed);
  if (Status status = check(o); !status) return fail(status.problem(), kFailed);
  auto prepared = is_ptx_file(parsed.split.program) ? prepare_ptx_target(parsed.split, o.ptx, o.run)
                                                    : prepare_target(parsed.split, o.run);
  if (const auto* problem = std::get_if<TargetError>(&prepared))
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  auto& target = std::get<Target>(prepared);
  Result<compile::TemporaryFolder> folder = compile::TemporaryFolder::create();
  if (!folder) return fail(folder.problem(), kFailed);
  const std::string file = folder->path() + "/profile";
  auto& environment = target.request.environment;
  environment.emplace_back(cuda::variable::profile, file);
  environment.emplace_back(cuda::variable::counters, "1");
  environment.emplace_back(cuda::variable::time, o.time);
  environment.emplace_back(cuda::variable::what_if, questions(o));
  if (!o.kernel.empty()) environment.emplace_back(cuda::variable::kernel_filter, o.kernel);
  if (o.launch_skip > 0) environment.emplace_back(cuda::variable::launch_skip, std::to_string(o.launch_skip));
  if (o.launch_count > 0) environment.emplace_back(cuda::variable::launch_count, std::to_string(o.launch_count));
  pass_compiled(target.request, o.compiled);
  target.request.output_to_errors = true;  // standard output has the answer alone
  Result<ChildExit> end = run_child(target.request);
  target.folder.reset();
  if (!end) return fail(end.problem(), kCannotRun);
  if (end->signal != 0) exit_like(*end);
  return report(file, o, *format, end->exit_code);
}

}  // namespace

Command what_if_command() {
  return make_command<WhatIfOptions>(
      {"what-if",
       "drywarp what-if [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp what-if [options] ./app [arguments]\n"
       "drywarp what-if [options] k.ptx [--entry NAME] --grid G --block B\n\n"
       "Runs a CUDA program on the CPU, and models each kernel's time again with one of its costs made ideal. The "
       "gain is the most that removing this cost can bring.",
       "Compile options are nvcc's: see `drywarp nvcc --help`. The program's output goes to standard error.\n\n"
       "The exit code is the program's; 125, 126 and 127 mean that it did not run or that there is no answer."},
      add_what_if_options, what_if);
}

}  // namespace drywarp::cli
