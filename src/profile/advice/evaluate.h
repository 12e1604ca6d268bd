// The limiter of what drywarp counted and modelled.
#pragma once

#include "profile/advice/limiter.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::advice {

// nullopt: no time was modelled.
[[nodiscard]] std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts);

}  // namespace drywarp::advice
