// A program as it could be: every copy and kernel cut into parts, the parts in streams of their own, and no call that
// waits in between. What depends on each other still does, part by part.
#pragma once

#include <vector>

#include "model/timeline/operation.h"

namespace drywarp::timeline {

[[nodiscard]] std::vector<Operation> pipelined(const std::vector<Operation>& operations, uint32_t parts);

}  // namespace drywarp::timeline
