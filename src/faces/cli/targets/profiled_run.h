// Runs a program for its profile, for subcommands that answer questions about its kernels.
#pragma once

#include <string>
#include <variant>

#include "faces/cli/targets/ptx_target.h"
#include "faces/cli/targets/target.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

// Whether the file is a profile (kept with DRYWARP_PROFILE) and not a program.
[[nodiscard]] bool is_profile_file(const std::string& path);

// Runs the program with counters on, or reads the profile if one is named. The program's output goes to standard error.
// Returns an exit code if there is no profile; the reason has been printed.
std::variant<report::Profile, int> profiled_run(const SplitArguments& split, const RunOptions& run,
                                                const PtxOptions& ptx);

}  // namespace drywarp::cli
