// A part of a launch's trace.
#pragma once

#include <memory>

#include "base/events/warp_trace.h"

namespace drywarp {

// What the trace has of those rows; the trace itself if they are its own, or all. Precondition: its own are no
// narrower, and of the same length.
[[nodiscard]] std::shared_ptr<const LaunchTrace> select(const std::shared_ptr<const LaunchTrace>& trace,
                                                        const BlockRows& rows);

}  // namespace drywarp
