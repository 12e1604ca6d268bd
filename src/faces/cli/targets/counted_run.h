// A run whose launches are counted: what `profile`, `what-if`, `latency` and `explain ... FILE:LINE` share.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "faces/cli/targets/announcements.h"
#include "faces/cli/targets/captured_output.h"
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
  // The program is the user's, as under `nvprof`: its standard output stays its own and does not go to standard error,
  // its end is not warned of, and one that never uses CUDA has an empty profile (without a version).
  bool as_is = false;
  double limit_seconds = 0;            // of the program; 0: none
  std::string profile = {};            // the file that keeps it, absolute; empty: a temporary one
  CapturedOutput* captured = nullptr;  // not owned; gets the program's standard output
  bool no_input = false;               // its standard input is empty
  Announcements::Heard heard = {};     // gets each counted launch while the program runs
};

// Runs the program and reads its profile. An exit code if there is no
// profile; the reason has been printed.
std::variant<CountedRun, int> run_counted(const SplitArguments& split, const CountedOptions& options,
                                          const Wanted& wanted);
// The same of a target that prepare_counted() made with these filters.
std::variant<CountedRun, int> run_prepared(Target target, const Filters& filters, const Wanted& wanted);

}  // namespace drywarp::cli
