// What an access leaves in the trace of its warp.
#pragma once

#include "base/events/warp_trace.h"
#include "engine/observe/observer.h"

namespace drywarp::observe {

[[nodiscard]] SharedOp shared_op(const Access& access);

// Appends the access, of step `step`, and its lines. Returns the bytes that it takes.
uint64_t append(WarpTrace& trace, uint32_t step, const Access& access, const SharedBanks& banks);
uint64_t append(WarpTrace& trace, uint32_t step, const Arrival& arrival);
// Its bytes in global memory; lanes of one instruction as one access.
uint64_t append(WarpTrace& trace, uint32_t step, const BulkAccess& access);
// Lanes of one instruction at one object are one use.
uint64_t append(WarpTrace& trace, uint32_t step, const Mbarrier& use);
// Only if lanes load different words.
uint64_t append(WarpTrace& trace, uint32_t step, const ConstantLoad& load);
uint64_t append(WarpTrace& trace, uint32_t step, const RareCases& rare);
// Only if lanes have different values.
uint64_t append(WarpTrace& trace, uint32_t step, const ValueMatch& match);

}  // namespace drywarp::observe
