// Uses of barrier objects by the engine itself.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Whether the lane may use an object at `address`. If not: tells the observers that want to know, or raises the fault.
[[nodiscard]] bool may_use_mbarrier(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address);

// One lane of `lanes`, which execute the instruction, uses the object at `address`. Returns its token, or whether it
// passed. Where it may not use it, it leaves that out, and passes.
uint64_t use_mbarrier(Warp& warp, uint32_t instruction, jit::MbarrierKind kind, uint32_t lane, uint32_t lanes,
                      uint64_t address, uint64_t operand);

// An object was used otherwise than for a wait: others may go on.
void note_object_change(Warp& warp);

}  // namespace drywarp::exec
