// A program run only for what its kernels did: for the subcommands that answer questions about it.
#pragma once

#include <string>
#include <variant>

#include "faces/cli/targets/ptx_target.h"
#include "faces/cli/targets/target.h"
#include "profile/record/profile.h"

namespace drywarp::cli {

// True: the file holds a profile (DRYWARP_PROFILE kept one) and is no program.
[[nodiscard]] bool is_profile_file(const std::string& path);

// Runs what the words name with counters on, or reads the profile that they name. The program's output goes to standard
// error. An exit code when there is nothing to answer from, which has been said.
std::variant<record::Profile, int> profiled_run(const SplitArguments& split, const RunOptions& run,
                                                const PtxOptions& ptx);

}  // namespace drywarp::cli
