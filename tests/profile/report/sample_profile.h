// A hand-written profile of a small program: a transpose through shared memory with bank conflicts, and a divergent
// reduction.
#pragma once

#include "profile/record/profile.h"

namespace drywarp::report {

// `source`: the CUDA file of the kernels.
record::Profile sample_profile(const std::string& source);

// The same with times: the first transpose was simulated, the second is identical, the reduction has no time.
record::Profile timed_profile(const std::string& source);

}  // namespace drywarp::report
