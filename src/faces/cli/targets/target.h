// What `run` and `profile` start: a program built from sources, or an existing one; and the options that say how.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/support/result.h"
#include "cuda/fatbin/compiled_kernels.h"
#include "faces/cli/options/arguments.h"
#include "faces/cli/targets/child.h"
#include "faces/compile/builder.h"

namespace drywarp::cli {

// Options that decide how kernels run.
struct RunOptions {
  std::string device;
  std::string cpu;
  double timeout_seconds = 0;
  unsigned workers = 0;
  bool divergent_barriers = false;
  bool strict = false;
  bool quick_code = false;
  bool red_zones = false, own_lines = false;  // for checks: see compile::Compilation
  // Sources without -arch are compiled for the device, or for this older compute capability (80).
  unsigned compute_capability = ~0u;
  std::string clock = "host";  // or "model": of the events that the program times itself with
};
void add_run_options(CLI::App& app, RunOptions& options);
void add_clock_option(CLI::App& app, RunOptions& options);
// Fails for an unknown device or a wrong device file, before anything runs.
Status check_device(const RunOptions& options);
// Configures the program's session: our runtime comes first, with these options.
void set_run_environment(ChildRequest& request, const RunOptions& options, const compile::Installation& installation);

struct Target {
  ChildRequest request;
  std::optional<compile::TemporaryFolder> folder;  // holds a program that the cache could not keep
  bool shows_cuda = true;  // false: a script, or a program that loads CUDA with dlopen, if it uses it at all
};

struct TargetError {
  Diagnostic problem;
  int exit_code;
  bool silent = false;  // the compiler has printed the errors
};

// Builds the sources, or checks the program. Prints the compiler's diagnostics.
std::variant<Target, TargetError> prepare_target(const SplitArguments& split, const RunOptions& options);

// --cubin and --ptxas-info: a kernel's resources as a real compiler reported them, instead of estimates.
struct CompiledOptions {
  std::vector<std::string> cubins, ptxas_infos;
};
void add_compiled_options(CLI::App& app, CompiledOptions& options);

// Fails if a file cannot be read or has neither format.
Result<fatbin::CompiledTable> read_compiled(const CompiledOptions& options);
// Passes the files to the program's session.
void pass_compiled(ChildRequest& request, const CompiledOptions& options);

}  // namespace drywarp::cli
