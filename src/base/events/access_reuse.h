// How often the recorded blocks of a launch touch the same bytes: what a tile in shared memory, or a thread that does
// more, would touch once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/events/counts.h"
#include "base/events/warp_trace.h"

namespace drywarp {

// One memory instruction of global memory in the recorded blocks, together with its unrolled copies: instructions of
// one source line whose addresses differ by a constant, which may touch parts of the same sectors.
struct AccessReuse {
  uint64_t blocks = 0;       // recorded blocks that ran it: the first ones, if the record is long
  uint64_t requested = 0;    // bytes, lane by lane
  uint64_t block_bytes = 0;  // of the sectors that each block touches, each once a block
  uint64_t grid_bytes = 0;   // ... each once
  bool operator==(const AccessReuse&) const = default;
};

// By the index of an access, as TraceAccess::access.
[[nodiscard]] std::vector<AccessReuse> reuse_of(const LaunchTrace& trace, const KernelInfo& kernel);

}  // namespace drywarp
