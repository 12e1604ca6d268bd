// Estimates which lines the simulated blocks of a launch share with the other blocks.
#pragma once

#include <cstdint>

#include "base/events/warp_trace.h"

namespace drywarp::sm {

// The number of sample blocks of a launch: TraceRequest::sample_blocks.
inline constexpr uint32_t kSampleBlocks = 24;

// The first `simulated` blocks of the trace run on a slice of the machine; other blocks run on the rest at the same
// time. Returns the share of the simulated blocks' lines that they fetch first; lines that others fetch first hit in
// L2. Each block that loads a line is equally likely to be the first. 1: the whole grid is simulated. Of the other
// blocks only the sample blocks are known, so lines are grouped by the number of simulated blocks that load them, and a
// group shares one estimate.
[[nodiscard]] double first_fetch_share(const LaunchTrace& trace, uint64_t simulated);

}  // namespace drywarp::sm
