#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "faces/cli/options/command.h"
#include "faces/cli/options/console.h"
#include "faces/cli/pages/command_page.h"
#include "faces/cli/targets/child.h"
#include "faces/compile/builder.h"
#include "faces/compile/nvcc_options/compilation.h"
#include "faces/compile/nvcc_options/option_parser.h"
#include "faces/compile/nvcc_options/process.h"

namespace drywarp::cli {
namespace {

// Build systems look for the second line (CMake accepts only nvcc's name) and for "release N.N, VN.N.N". The version is
// that of the headers.
void print_nvcc_version() {
  fmt::print(
      "drywarp {} with clang 19, as a replacement for\n"
      "nvcc: NVIDIA (R) Cuda compiler driver\n"
      "Cuda compilation tools, release 12.8, V12.8.93\n",
      compile::drywarp_version());
}

// CMake finds the toolkit by compiling a file that does not exist: nvcc prints its folders before it reads the
// arguments.
void describe_environment(const Words& words) {
  static constexpr std::string_view kVerbose[] = {"-v", "--verbose", "-dryrun", "--dryrun"};
  bool verbose = std::ranges::any_of(
      words, [](const std::string& w) { return std::ranges::find(kVerbose, w) != std::end(kVerbose); });
  Result<compile::Installation> installation = compile::find_installation();
  if (verbose && installation) say(compile::environment_text({}, {{}, *installation}));
}

// `nvcc .c -Xcompiler --version` is how build systems ask for the host compiler: it answers, and nothing is compiled.
bool asks_host_compiler(const compile::Compilation& compilation) {
  static constexpr std::string_view kQuestions[] = {"--version", "-dumpversion", "-dumpfullversion", "-dumpmachine"};
  return std::ranges::find_first_of(compilation.host_options, kQuestions) != compilation.host_options.end();
}

int answer_of_host_compiler(const compile::Compilation& compilation, const compile::Clang& clang) {
  compile::Arguments command{clang.cxx};
  command.insert(command.end(), compilation.host_options.begin(), compilation.host_options.end());
  Result<compile::Process> process = compile::Process::start(command);
  if (!process) return fail(process.problem(), kCompiler);
  return process->wait().code;
}

int run_built(const compile::Compilation& compilation) {
  Result<compile::Installation> installation = compile::find_installation();
  if (!installation) return fail(installation.problem(), kFailed);
  ChildRequest request;
  request.path = compilation.output.empty() ? "./a.out" : compilation.output;
  request.arguments = {request.path};
  request.arguments.insert(request.arguments.end(), compilation.run_arguments.begin(), compilation.run_arguments.end());
  request.environment.emplace_back("LD_LIBRARY_PATH", installation->library);
  Result<ChildExit> end = run_child(request);
  if (!end) return fail(end.problem(), kCannotRun);
  return end->exit_code;
}

int compile_as_nvcc(const Words& words) {
  Result<compile::Compilation> compilation = compile::parse_options(words);
  if (!compilation) {
    describe_environment(words);
    return fail(compilation.problem(), kCompiler);
  }
  if (compilation->show_help) return std::fputs(help_text(nvcc_page()).c_str(), stdout), kSuccess;
  if (compilation->show_version) return print_nvcc_version(), kSuccess;
  if (compilation->list_architectures) return std::fputs(compile::architecture_list().c_str(), stdout), kSuccess;
  if (!compilation->suppress_warnings) {
    for (const std::string& text : compilation->warnings) warn(text);
  }
  Result<compile::Installation> installation = compile::find_installation();
  if (!installation) return fail(installation.problem(), kCompiler);
  Result<compile::Clang> clang = compile::find_clang();
  if (!clang) return fail(clang.problem(), kCompiler);
  if (asks_host_compiler(*compilation)) return answer_of_host_compiler(*compilation, *clang);
  compile::Toolchain tools{*clang, *installation, takes_colour(STDERR_FILENO)};
  if (compilation->verbose || compilation->dry_run) say(compile::environment_text(*compilation, tools));
  compile::BuildCache cache(compile::BuildCache::default_folder());
  Result<compile::BuildResult> built = compile::build(*compilation, tools, cache);
  if (!built) return fail(built.problem(), kCompiler);
  std::fwrite(built->output.data(), 1, built->output.size(), stdout);
  say(built->diagnostics);
  if (built->exit_code == 0 && compilation->run_after && !compilation->dry_run) return run_built(*compilation);
  return built->exit_code;
}

}  // namespace

Command nvcc_command() { return {nullptr, compile_as_nvcc}; }

}  // namespace drywarp::cli
