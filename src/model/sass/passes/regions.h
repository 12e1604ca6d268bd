// Which blocks of the PTX function make one run of machine code: chains of blocks, branches whose short sides become
// predicated instructions, iterations of unrolled loops.
//
// The rules are those that `ptxas -O3` of CUDA 13 was seen to follow on generated kernels (sm_90): see regions.cpp.
#pragma once

#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// Regions in the order of their first blocks, longer paths first. Every block is a region of its own as well (a
// `fallback` where it is part of a longer one).
std::vector<Region> form_regions(const Kernel& kernel, const Flow& flow);

}  // namespace drywarp::sass
