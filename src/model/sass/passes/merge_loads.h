// Loads of neighbouring words of shared memory become one load of 8 or 16 bytes where the address is known to be
// aligned, as ptxas does.
#pragma once

#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

void merge_loads(const Kernel& kernel, std::vector<Region>& regions);

}  // namespace drywarp::sass
