// What else Nsight Compute's rules on launches and occupancy would say of a launch, whatever limits it.
#pragma once

#include "profile/advice/limiter.h"

namespace drywarp::advice {

[[nodiscard]] std::vector<Remark> remarks(const LimiterFacts& facts);

}  // namespace drywarp::advice
