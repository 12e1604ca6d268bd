// Where in the program's host code findings come from.
#pragma once

#include <vector>

#include "base/events/finding.h"

namespace drywarp::cli {

// Calls get their lines: of allocations, and of findings of host code. Findings of one line become one.
void name_calls(std::vector<Finding>& findings);

}  // namespace drywarp::cli
