// The functions that rules.def names: one a file. Each looks at a kernel's facts and says what it finds, if anything. A
// rule whose facts are not known finds nothing.
#pragma once

#include "profile/advice/advice.h"

namespace drywarp::advice {

#define DW_RULE(function, key, item, scenario, source) std::optional<Finding> function(const Facts& facts);
#include "profile/advice/rules/rules.def"

}  // namespace drywarp::advice
