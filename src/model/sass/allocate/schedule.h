// The order of a region's instructions: long latencies first and apart from what waits for them, as far as registers
// allow.
#pragma once

#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

// `live_out`: registers read after the region (ascending). `budget`: the general registers that the order should not
// need more than, where it can. Where they run short, orders that look less far ahead are tried too, and the one that
// should take the fewest cycles is taken.
void schedule(const Kernel& kernel, std::vector<Code>& code, const std::vector<Register>& live_out, unsigned budget);

}  // namespace drywarp::sass
