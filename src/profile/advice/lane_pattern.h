// How the threads of a warp lie in memory, in its costliest access.
#pragma once

#include <optional>

#include "base/events/access_sample.h"
#include "profile/record/profile.h"

namespace drywarp::advice {

enum class LanePattern : uint8_t {
  Unknown,     // no sample
  Broadcast,   // along threadIdx.x all threads access one element
  Contiguous,  // neighbouring threads access neighbouring elements, from the start of a sector on
  Misaligned,  // the same, from the middle of a sector on
  NarrowRows,  // contiguous, but rows of the block are shorter than a sector
  Strided,     // some elements apart, within one line
  Rows,        // a line or more apart: threadIdx.x walks down a column
  Scattered,   // no constant distance
};

struct LaneLayout {
  LanePattern pattern = LanePattern::Unknown;
  int64_t step = 0;  // bytes between threads that are neighbours along threadIdx.x; of Strided and Rows
};
// `block`: the launch's block size. `sample` may be null.
[[nodiscard]] LaneLayout lane_layout(const AccessSample* sample, const record::Extent& block);

}  // namespace drywarp::advice
