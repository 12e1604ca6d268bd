// How far apart the lanes of a sampled access are, and what other steps would cost.
#pragma once

#include <optional>

#include "base/events/access_sample.h"

namespace drywarp {

// Bytes from lane to lane, if constant over the active lanes.
[[nodiscard]] std::optional<int64_t> lane_step(const AccessSample& sample);

// The same warp with another step from lane to lane, as rows of another length would give.
struct StepTrial {
  int64_t step = 0;       // bytes from lane to lane
  uint32_t elements = 0;  // more than before
  uint32_t wavefronts = 0;
};

// Of shared memory, with conflicts: the least longer step, up to an element for each bank, with the fewest wavefronts.
[[nodiscard]] std::optional<StepTrial> find_longer_step(const AccessSample& sample);

}  // namespace drywarp
