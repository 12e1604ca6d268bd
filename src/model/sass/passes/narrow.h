// Upper halves that nobody reads are not made. An address of shared or local memory is 32 bits wide, whatever PTX has
// it in: what of 64-bit arithmetic leads there only becomes 32-bit arithmetic, as ptxas does it.
#pragma once

#include "model/sass/code/code.h"

namespace drywarp::sass {

void narrow(Kernel& kernel);

}  // namespace drywarp::sass
