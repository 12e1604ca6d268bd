// A run whose launches are counted: what `profile`, `what-if`, `latency` and `explain ... FILE:LINE` share.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/ptx_target.h"
#include "faces/cli/targets/target.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

struct CountedOptions {
  RunOptions run;
  PtxOptions ptx;
  CompiledOptions compiled;
  Filters filters;
};

// The program or PTX file, configured to count what the filters leave. Fails if options for a PTX file come without
// one.
std::variant<Target, TargetError> prepare_counted(const SplitArguments& split, const CountedOptions& options);

struct CountedRun {
  record::Profile profile;
  ChildExit end;
  std::string samples;  // the lines of the samples' file, if they were wanted
};

struct Wanted {
  std::vector<std::pair<const char*, std::string>> settings;  // of the program's session: cuda/launch/options.def
  bool samples = false;                                       // the costliest accesses
  const char* purpose = "report";                             // "there is nothing to report"
};

// Runs the program and reads its profile. The program's output goes to standard error. An exit code if there is no
// profile; the reason has been printed.
std::variant<CountedRun, int> run_counted(const SplitArguments& split, const CountedOptions& options,
                                          const Wanted& wanted);

}  // namespace drywarp::cli
