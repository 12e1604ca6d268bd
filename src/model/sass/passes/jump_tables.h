// Comparisons of one value with several constants, one behind the other, as a switch leaves them: ptxas makes of them a
// jump through a table. Of ptxas 13, held to hundreds of such chains: from three equalities on, from two where the
// chain stands in a loop or behind an ordered comparison of the same value, and no further apart than five to a case.
// Only 32-bit values are looked up; a chain's last `!=` stays a comparison.
#pragma once

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// After optimisation, before constants come into registers.
void form_jump_tables(Kernel& kernel, const Flow& flow);

}  // namespace drywarp::sass
