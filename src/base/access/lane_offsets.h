// Where the lanes of a request access their memory, in numbers that do not depend on the host.
#pragma once

#include <cstdint>

#include "base/access/access_pattern.h"

namespace drywarp {

// Of each active lane, its address minus that of the lane's memory: `base`, and `stride` more for each lane. Else 0.
// Returns the lanes whose offset is `size` or more.
LaneMask lane_offsets(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t stride, uint64_t size,
                      uint64_t* offsets);

// As measure_lanes(), of each address less starts[lane]. `starts` has 32 entries; `room` fits 32 bits.
void measure_own_lanes(const uint64_t* addresses, LaneMask active, const uint64_t* starts, uint64_t base, uint64_t room,
                       uint64_t misaligned, LaneDistances* out);

// Of the active lanes' offsets.
struct LaneSpan {
  uint64_t first = 0, last = 0;
  bool side_by_side = false;  // all 32 lanes, each `bytes` behind the one before
};
[[nodiscard]] LaneSpan lane_span(const uint64_t* offsets, LaneMask active, uint64_t bytes);

// Of the active lanes whose next lane is active, too: those whose next lane is `bytes` behind them, and those whose
// next lane has the same address.
struct LaneSteps {
  LaneMask follows = 0, same = 0;
};
[[nodiscard]] LaneSteps lane_steps(const uint64_t* addresses, LaneMask active, uint64_t bytes);

// The active lanes that are not `apart[lane]` bytes behind `first`.
[[nodiscard]] LaneMask lanes_elsewhere(const uint64_t* addresses, LaneMask active, uint64_t first,
                                       const uint64_t* apart);

}  // namespace drywarp
