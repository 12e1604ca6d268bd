// Checks the filters of a run. A filter that matches nothing is an error, whose hint lists what it could have matched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "profile/record/profile.h"
#include "profile/report/model/parts.h"

namespace drywarp::cli {

struct Filters {
  std::string kernel;  // regular expression; empty: every kernel
  uint64_t launch_skip = 0;
  std::vector<LineRange> regions;
};

// Checks --kernel's regular expression before anything runs.
[[nodiscard]] Status check_pattern(const std::string& pattern);

// Fails if none of `kernels` (demangled names) matches `pattern`; the hint has the nearest names first. `what` is a
// participle for the message: "launched", "found".
[[nodiscard]] Status check_kernel_filter(const std::string& pattern, std::span<const std::string> kernels,
                                         const char* what);

// Fails if the filters left no launch to count, or if a region has no code.
[[nodiscard]] Status check_filters(const Filters& filters, const record::Profile& profile);

// Leaves the launches that `profile` would have counted with these filters; `launch_count` 0: all behind those skipped.
void keep_launches(record::Profile& profile, const Filters& filters, uint64_t launch_count);

}  // namespace drywarp::cli
