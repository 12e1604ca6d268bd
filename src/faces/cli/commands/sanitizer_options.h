// The option table of `drywarp compute-sanitizer`: compute-sanitizer's options, those that have no effect here among
// them.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/options/command.h"
#include "faces/cli/targets/known_findings.h"
#include "faces/cli/targets/target.h"

namespace drywarp::cli {

struct SanitizerOptions {
  RunOptions run;
  SuppressionOptions suppressions;
  std::string tool = "memcheck", leak_check = "no", destroy = "context", races = "analysis", level = "auto",
              backtrace = "yes", demangle = "full", strip_paths = "yes", xml = "no", check_exit_code = "yes",
              require_cuda = "yes", spaces = "all", detect_level = "warn", api_errors = "explicit";
  std::string save, log_file, prefix = "=========", read;
  std::vector<std::string> kernels, excluded;
  uint64_t limit = 100, skip = 0, count = 0, host_callers = 0;
  int error_exitcode = 0;
  bool quiet = false, version = false, track_unused = false;
  double most_unused = 0;
  std::vector<std::string> notes;  // of options without effect, in their order
};

void add_sanitizer_options(CLI::App& app, SanitizerOptions& o);

// Options that are flags today and took yes or no before, "--xml yes": the two words as one, "--xml=yes".
[[nodiscard]] Words join_flag_values(const Words& words);

// A regular expression for mangled names: of the specifications "key=value,key=value" of --kernel-name and
// --kernel-name-exclude. Empty: every kernel.
Result<std::string> kernel_expression(const std::vector<std::string>& taken, const std::vector<std::string>& excluded);

}  // namespace drywarp::cli
