// A run whose launches are recorded: the one way in which all commands that read a profile of a program run it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "faces/cli/targets/announcements.h"
#include "faces/cli/targets/filters.h"
#include "faces/cli/targets/kept_profile.h"
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

// A run of a program that was killed, or that failed, has the launches until then.
void warn_of_end(const ChildExit& end);

struct Wanted {
  std::vector<std::pair<const char*, std::string>> settings = {};  // of the program's session: cuda/launch/options.def
  bool samples = false;                                            // the costliest accesses
  const char* purpose = "report";                                  // "there is nothing to report"
  // The program is the user's, as under `nvprof`: its end is not warned of, and one that never uses CUDA has an empty
  // profile (without a version).
  bool as_is = false;
  bool output_to_errors = false;  // the program's standard output, since ours has the answer alone
  double limit_seconds = 0;       // of the program; 0: none
  // Not owned; keeps the profile, with what drawings of its launches show, and the program's standard output.
  KeptProfile* kept = nullptr;
  CapturedOutput* captured = nullptr;  // not owned; gets the program's standard output, if no file keeps it
  bool no_input = false;               // its standard input is empty
  Announcements::Heard heard = {};     // gets each counted launch while the program runs
};

// Runs the program and reads its profile. An exit code if there is none, or if the filters match nothing; the reason
// has been printed. After a program that was killed, filters that match nothing are a warning: it may not have reached
// those launches.
std::variant<CountedRun, int> run_counted(const SplitArguments& split, const CountedOptions& options,
                                          const Wanted& wanted);
// The same of a target that prepare_counted() made with these filters.
std::variant<CountedRun, int> run_prepared(Target target, const Filters& filters, const Wanted& wanted);

}  // namespace drywarp::cli
