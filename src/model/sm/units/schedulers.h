// The warp schedulers of the SMs' sub-partitions: which warp issues next, and when.
#pragma once

#include <algorithm>

#include "model/sm/units/simulation.h"

namespace drywarp::sm {

// When an instruction can read its operands.
inline Cycles banks_free(const SubPartition& part, const IssueNeeds& needs) {
  return std::max(part.bank_free[0] + needs.bank_lead[0], part.bank_free[1] + needs.bank_lead[1]);
}

inline Cycles units_free(const SubPartition& part, const IssueNeeds& needs) {
  const Cycles unit = std::max(part.pipe_free[unsigned(needs.pipe)], part.queue_free[unsigned(needs.queue)]);
  return std::max(unit, banks_free(part, needs));
}

// When a sub-partition issues next.
struct Choice {
  Cycles at = kNever;
  uint32_t index = 0;  // in SubPartition::warps
};
[[nodiscard]] Choice choose(const SubPartition& part);
void schedule(Simulation& s, uint32_t part, const Choice& next);
// Something has changed: the sub-partition chooses again.
void wake(Simulation& s, uint32_t part);
// The result of an instruction, which was kNever when it issued, is known. Nothing happens if the warp has ended.
void settle(Simulation& s, uint32_t warp, uint32_t serial, const Decoded& in, Cycles result);
// The warp's next instruction can issue at `not_before`, if its operands are ready; `reason`: why not before.
void make_ready(Simulation& s, uint32_t warp, Cycles not_before, Stall reason);

}  // namespace drywarp::sm
