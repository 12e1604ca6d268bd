#include <CLI/CLI.hpp>

#include "faces/cli/options/commands.h"
#include "faces/cli/options/console.h"
#include "faces/cli/options/exit_codes.h"
#include "faces/cli/options/parse.h"
#include "faces/cli/targets/target.h"

namespace drywarp::cli {

int run_command(const Words& words) {
  CLI::App app(
      "drywarp run [options] [compile options] app.cu [-- arguments]\n"
      "drywarp run [options] ./app [arguments]\n\n"
      "Compiles a CUDA program and runs it on this machine's processor.",
      "run");
  app.footer(
      "Compile options are nvcc's: see `drywarp nvcc --help`.\n"
      "The exit code is the program's; 125, 126 and 127 mean that it did not run.");
  RunOptions options;
  add_run_options(app, options);
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (is_ptx_file(parsed.split.program)) {
    return fail(error("a PTX file has no program around its kernels",
                      "use `drywarp profile FILE.ptx --entry NAME --grid G --block B`"),
                kFailed);
  }
  auto prepared = prepare_target(parsed.split, options);
  if (const auto* problem = std::get_if<TargetError>(&prepared)) {
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  }
  auto& target = std::get<Target>(prepared);
  Result<ChildEnd> end = run_child(target.request);
  target.home.reset();
  if (!end) return fail(end.problem(), kCannotRun);
  end_like(*end);
}

}  // namespace drywarp::cli
