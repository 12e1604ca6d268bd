// drywarp's limiter and advice as results of rules, in the sections in which Nsight Compute's rules have theirs.
#pragma once

#include <iosfwd>
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

// The rules of --rule, by their names or by those of Nsight Compute's rules on the same matter. One that is neither has
// no rule, as Nsight Compute has it, and a sentence about it is appended to `notes`.
[[nodiscard]] std::vector<std::string> select_rules(std::span<const std::string> names,
                                                    std::vector<std::string>& notes);
void list_rules(std::ostream& out);

}  // namespace drywarp::profilers::ncu
