// A part of a launch's trace.
#pragma once

#include "base/events/warp_trace.h"

namespace drywarp {

// What the trace has of those rows. Precondition: its own are no narrower, and of the same length.
[[nodiscard]] LaunchTrace select(const LaunchTrace& trace, const BlockRows& rows);

}  // namespace drywarp
