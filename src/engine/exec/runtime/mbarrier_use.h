// Uses of barrier objects by the engine itself.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// One lane of `lanes`, which execute the instruction, uses the object at `address`. Returns its token, or whether it
// passed.
uint64_t use_mbarrier(Warp& warp, uint32_t instruction, jit::MbarrierKind kind, uint32_t lane, uint32_t lanes,
                      uint64_t address, uint64_t operand);

// An object was used otherwise than for a wait: others may go on.
void note_object_change(Warp& warp);

}  // namespace drywarp::exec
