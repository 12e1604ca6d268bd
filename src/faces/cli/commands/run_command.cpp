#include <unistd.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "cuda/launch/options.h"

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/parse.h"
#include "faces/cli/targets/target.h"

namespace drywarp::cli {
namespace {

void add_options(CLI::App& app, RunOptions& options) {
  add_run_options(app, options);
  add_clock_option(app, options);
}

int run_program(CLI::App& app, RunOptions& options, const Words& words) {
  ParsedWords parsed = parse_words(app, words);
  if (parsed.exit_code) return *parsed.exit_code;
  if (is_ptx_file(parsed.split.program)) {
    return fail(error("a PTX file has kernels but no program that launches them",
                      "use `drywarp profile FILE.ptx --entry NAME --grid G --block B`"),
                kFailed);
  }
  auto prepared = prepare_target(parsed.split, options);
  if (const auto* problem = std::get_if<TargetError>(&prepared)) {
    return problem->silent ? problem->exit_code : fail(problem->problem, problem->exit_code);
  }
  auto& target = std::get<Target>(prepared);
  std::optional<compile::TemporaryFolder> folder;
  std::string started;  // the session makes this file
  if (!target.shows_cuda) {
    Result<compile::TemporaryFolder> made = compile::TemporaryFolder::create();
    if (!made) return fail(made.problem(), kFailed);
    folder.emplace(std::move(*made));
    started = folder->path() + "/started";
    target.request.environment.emplace_back(cuda::variable::started, started);
  }
  Result<ChildExit> end = run_child(target.request);
  target.folder.reset();
  const bool without_cuda = folder && access(started.c_str(), F_OK) != 0;
  folder.reset();
  if (!end) return fail(end.problem(), kCannotRun);
  if (without_cuda) warn("the program made no CUDA call");
  exit_like(*end);
}

}  // namespace

Command run_command() {
  return make_command<RunOptions>(
      {"run",
       "drywarp run [options] [compile options] app.cu... [-- arguments]\n"
       "drywarp run [options] ./app [arguments]\n\n"
       "Compiles a CUDA program and runs it on the CPU. Its output, and its exit code or signal, are passed on "
       "unchanged.",
       "Compile options are nvcc's: see `drywarp nvcc --help`. Options may come before or after the sources; "
       "everything after a program's name is the program's.\n\n"
       "The exit code is the program's; 125, 126 and 127 mean that it did not run."},
      add_options, run_program);
}

}  // namespace drywarp::cli
