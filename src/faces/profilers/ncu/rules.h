// drywarp's limiter and advice as results of rules, in the sections in which Nsight Compute's rules have theirs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/profilers/ncu/results.h"
#include "profile/report/model/model.h"

namespace drywarp::profilers::ncu {

// The section's identifier that has the advice of a checklist's item.
[[nodiscard]] std::string_view section_of(advice::Item item);

// Of one section of one launch. The limiter is the launch's; advice is on all launches of the kernel.
[[nodiscard]] std::vector<RuleResult> rule_results(std::string_view section, const advice::Verdict* limiter,
                                                   std::span<const advice::Advice> advice);

}  // namespace drywarp::profilers::ncu
