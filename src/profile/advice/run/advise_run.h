// Applies the rules on a whole run.
#pragma once

#include <span>
#include <vector>

#include "profile/advice/advice.h"
#include "profile/advice/run/run_facts.h"

namespace drywarp::advice {

struct RunRule : RuleText {
  std::optional<Finding> (*find)(const RunFacts& facts);
};
[[nodiscard]] std::span<const RunRule> all_run_rules();

// The largest gain first.
[[nodiscard]] std::vector<Advice> advise_run(const RunFacts& facts);

}  // namespace drywarp::advice
