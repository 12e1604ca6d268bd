// What `run` and `profile` start: a program built from sources, or an existing one.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/support/result.h"
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
  bool quick_code = false;
};
void add_run_options(CLI::App& app, RunOptions& options);
// Fails for an unknown device or a wrong device file, before anything runs.
Status check_device(const RunOptions& options);
// Configures the program's session: our runtime in `library` comes first, with these options.
void set_run_environment(ChildRequest& request, const RunOptions& options, const std::string& library);

struct Target {
  ChildRequest request;
  std::optional<compile::TemporaryFolder> folder;  // holds a program that the cache could not keep
};

struct TargetError {
  Diagnostic problem;
  int exit_code;
  bool silent = false;  // the compiler has printed the errors
};

// Builds the sources, or checks the program. Prints the compiler's diagnostics.
std::variant<Target, TargetError> prepare_target(const SplitArguments& split, const RunOptions& options);

}  // namespace drywarp::cli
