// Atomics whose value nobody uses return none. At an address that is the same for the whole warp, ptxas adds up the
// lanes' operands first and lets one lane do the atomic; of a sum whose value before is used, every lane gets its own
// from that lane's. (Read from ptxas 13's code for 7.5, 8.0 and 9.0.)
#pragma once

#include "model/sass/code/code.h"

namespace drywarp::sass {

// After optimisation, which shows that an address is made of constants alone; before constants come into registers.
void aggregate_atomics(Kernel& kernel);

}  // namespace drywarp::sass
