// Metrics of a recorded launch for the rules: a GPU's counters by Nsight Compute's names stand in for the metrics that
// rules ask for by either name, and for roll-ups that follow from them.
#pragma once

#include "profile/advice/limiter.h"

namespace drywarp::advice {

// `column`: the recorded value of a name; nullopt: not recorded.
[[nodiscard]] MetricValue recorded_metrics(MetricValue column);

}  // namespace drywarp::advice
