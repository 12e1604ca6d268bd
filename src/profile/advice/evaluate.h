// The limiter of what drywarp counted and modelled.
#pragma once

#include <span>

#include "profile/advice/limiter.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::advice {

// How large one of several launches was.
struct LaunchSize {
  double blocks = 0, waves = 0;
};

// nullopt: no time was modelled. `launches`: those that `sums` and `facts` are of together; may be empty for one.
[[nodiscard]] std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                                std::span<const LaunchSize> launches = {});

}  // namespace drywarp::advice
