// The limiter of launches that drywarp counted and modelled.
#pragma once

#include <span>

#include "profile/advice/limiter.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::advice {

struct LaunchSize {
  double blocks = 0, waves = 0;
};

// nullopt: no time was modelled. `launches`: the launches behind `sums` and `facts`; may be empty for a single one.
[[nodiscard]] std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                                std::span<const LaunchSize> launches = {});

}  // namespace drywarp::advice
