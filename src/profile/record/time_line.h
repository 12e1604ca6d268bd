// The modelled time line of a recorded run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/timeline/summary.h"
#include "profile/record/profile.h"

namespace drywarp::record {

struct TimeLine {
  std::vector<timeline::Span> spans;  // of Profile::operations
  timeline::Totals totals;
  uint64_t untimed = 0;  // kernels and copies without a time, which take none here
};
// Nothing: an older drywarp wrote the profile, or the program asked nothing of the GPU.
[[nodiscard]] std::optional<TimeLine> time_line(const Profile& profile);

// How long the run would take if every copy and kernel were cut into parts that overlap. Nothing: see above, or the run
// is too long to tell.
[[nodiscard]] std::optional<double> pipelined_seconds(const Profile& profile);

}  // namespace drywarp::record
