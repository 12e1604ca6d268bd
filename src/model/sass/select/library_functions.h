// Mathematical functions that PTX calls, and that nvcc's PTX has inline.
#pragma once

#include "model/sass/select/operands.h"
#include "model/sass/select/writer.h"

namespace drywarp::sass {

// Writes the call's machine instructions, as many of each pipe as ptxas makes of the function, and as long a chain of
// them. False: it calls none of these functions.
bool call_library_function(Writer& write, Operands& of, const ir::Instruction& in);

}  // namespace drywarp::sass
