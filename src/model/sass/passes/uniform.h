// Which values live in uniform registers: one for a warp, beside the registers of its threads (Turing and later).
//
// What ptxas does, read from its code for many small kernels:
//
// - A value is uniform if an operation of the uniform datapath makes it of uniform values, constants and the block's
//   number. A loop's counter is one, too: all that is written to it must be uniform, and lanes may leave the loops that
//   it is written in only together.
// - Instructions for lanes read one uniform register, where an immediate could stand. What is read elsewhere, or beside
//   an immediate or another uniform register, is an ordinary value. If that needs more than one uniform register to be
//   made of, it is made uniform all the same and moved.
// - A counter that any such instruction would have to be moved for is an ordinary register.
#pragma once

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// The operation of the uniform datapath that does what `op` does for lanes; `op` itself: there is none.
[[nodiscard]] Operation uniform_form(Operation op);
inline bool has_uniform_form(Operation op) { return uniform_form(op) != op; }
// The operation for lanes that does what `op` does for a warp; `op` itself: it is for lanes.
[[nodiscard]] Operation lane_form(Operation op);

// Sets the register file of values that live in uniform registers, and the operations that make them.
void choose_uniform(Kernel& kernel, const Flow& flow);

}  // namespace drywarp::sass
