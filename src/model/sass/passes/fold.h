// Two instructions in one: multiply-adds, shifted additions, three-input logic, comparisons with a predicate, signs as
// modifiers, [register + immediate].
#pragma once

#include "model/sass/code/code.h"
#include "model/sass/code/values.h"

namespace drywarp::sass {

// One step of improvement of `c` by what is known of its sources; false when there is none.
bool fold(Values& v, Code& c);

}  // namespace drywarp::sass
