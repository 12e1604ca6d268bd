// What ptxas does to several instructions together: copies and constants carried forward, multiply-adds, shifted adds
// and three-input logic formed, additions folded into addresses, equal values computed once, dead values dropped.
#pragma once

#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/live.h"

namespace drywarp::sass {

// All blocks together: a register that the kernel writes once is known everywhere.
void optimize_kernel(Kernel& kernel);

// Logic that is compared with zero: one LOP3 gives both.
void join_zero_tests(Kernel& kernel);

// Each region by itself: what other blocks computed is not looked at. `live`: of the kernel's blocks.
void optimize_regions(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live);

}  // namespace drywarp::sass
