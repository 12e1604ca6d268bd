// Checks the filters of a run. A filter that matches nothing is an error, whose hint lists what it could have matched.
#pragma once

#include <CLI/App.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/cli/targets/child.h"
#include "profile/record/profile.h"
#include "profile/report/model/parts.h"

namespace drywarp::cli {

struct Filters {
  std::string kernel;                          // regular expression; empty: every kernel
  uint64_t launch_skip = 0, launch_count = 0;  // of the matching launches; a count of 0: all behind those skipped
  std::vector<LineRange> regions;
};

// --kernel, --launch-skip and --launch-count.
void add_filter_options(CLI::App& app, Filters& filters);
// Passes them to the program's session.
void pass_filters(ChildRequest& request, const Filters& filters);

// Checks --kernel's regular expression before anything runs.
[[nodiscard]] Status check_pattern(const std::string& pattern);

// Fails if none of `kernels` (demangled names) matches `pattern`; the hint has the nearest names first. `what` is a
// participle for the message: "launched", "found".
[[nodiscard]] Status check_kernel_filter(const std::string& pattern, std::span<const std::string> kernels,
                                         const char* what);

// Fails if the filters left no launch to count, or if a region has no code.
[[nodiscard]] Status check_filters(const Filters& filters, const record::Profile& profile);

// Leaves the launches that `profile` would have counted with these filters.
void keep_launches(record::Profile& profile, const Filters& filters);

}  // namespace drywarp::cli
