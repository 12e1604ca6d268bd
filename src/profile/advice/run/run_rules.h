// The functions that run_rules.def names.
#pragma once

#include "profile/advice/advice.h"
#include "profile/advice/run/run_facts.h"

namespace drywarp::advice {

#define DW_RUN_RULE(function, key, item, source) std::optional<Finding> function(const RunFacts& facts);
#include "profile/advice/run/run_rules.def"

}  // namespace drywarp::advice
