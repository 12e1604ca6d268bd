// What an access leaves in the trace of its warp.
#pragma once

#include "base/events/warp_trace.h"
#include "engine/observe/observer.h"

namespace drywarp::observe {

[[nodiscard]] SharedOp shared_op(const Access& access);

// Appends the access, of step `step`, and its lines. Returns the bytes that it takes.
uint64_t append(WarpTrace& trace, uint32_t step, const Access& access, const SharedBanks& banks);
uint64_t append(WarpTrace& trace, uint32_t step, const Arrival& arrival);

}  // namespace drywarp::observe
