// Spreads over two pipes what either can do: moves, additions and left shifts run as IMAD on the FMA pipe where the ALU
// has more to do, as ptxas does from Volta on.
#pragma once

#include <vector>

#include "model/sass/code/code.h"

namespace drywarp::sass {

void balance_pipes(const Kernel& kernel, std::vector<Region>& regions);

}  // namespace drywarp::sass
