// What the simulated blocks of a launch share with those that are not simulated.
#pragma once

#include <cstdint>

#include "base/events/warp_trace.h"

namespace drywarp::sm {

// Of a launch, so many are enough: TraceRequest::sample_blocks.
inline constexpr uint32_t kWitnesses = 24;

// The grid's first `simulated` blocks stand for a part of the machine; the blocks of the other parts run beside them.
// Of the lines that the simulated blocks load, the share that they are the first to ask for, if every block that loads
// a line is as likely to come first as any other: what the others come first with is in the L2 by then. 1: all of them,
// as when the whole grid is simulated. Lines that as many of the simulated blocks load are taken to be loaded by as
// many of the others: of these only the witnesses are known.
[[nodiscard]] double first_asked_share(const LaunchTrace& trace, uint64_t simulated);

}  // namespace drywarp::sm
