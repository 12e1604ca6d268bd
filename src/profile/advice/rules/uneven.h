// What the rules on uneven trips share: the loops of a kernel, and whether unevenness costs anything.
#pragma once

#include <vector>

#include "profile/advice/advice.h"

namespace drywarp::advice {

// The lines at whose end lanes leave a loop, those that ran most first.
[[nodiscard]] std::vector<EvidenceLine> loop_lines(const Facts& facts);

// Multiprocessors hold fewer warps than fit, by more than Nsight Compute tolerates, and nothing is saturated.
[[nodiscard]] bool loses_occupancy(const Facts& facts);

}  // namespace drywarp::advice
