// A run of a small program, written by hand: a transpose through shared memory with bank conflicts, and a reduction
// that diverges.
#pragma once

#include "profile/record/profile.h"

namespace drywarp::report {

// `source`: the CUDA file that the kernels' lines are in.
Profile sample_profile(const std::string& source);

// The same with times: the first transpose was simulated and the second does the same, the reduction was given up.
Profile timed_profile(const std::string& source);

}  // namespace drywarp::report
