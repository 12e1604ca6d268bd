// Filters that leave nothing of a run: an error that says what there was to choose from.
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
  std::vector<report::LineRange> regions;
};

// --kernel's regular expression, before anything runs.
[[nodiscard]] Status check_pattern(const std::string& pattern);

// An error if none of `kernels` (demangled names) matches `pattern`, with the nearest names first. `what` became of the
// kernels: "launched".
[[nodiscard]] Status check_kernel_filter(const std::string& pattern, std::span<const std::string> kernels,
                                         const char* what);

// Whether something was left of the run: launches to count, and code in every region.
[[nodiscard]] Status check_filters(const Filters& filters, const record::Profile& profile);

}  // namespace drywarp::cli
