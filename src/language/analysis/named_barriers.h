// How many of a block's sixteen named barriers (bar.sync 0 .. 15) a kernel uses, as ptxas counts them.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::analysis {

// One more than the highest number; all sixteen if a number is not known before the kernel runs; 0: no barriers.
[[nodiscard]] uint32_t named_barriers(const ir::Function& code);

}  // namespace drywarp::analysis
