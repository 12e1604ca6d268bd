// The rules of basic blocks that builder, passes and verification share.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

// bra, brx.idx, ret, exit, trap: guarded or not, they end a block.
[[nodiscard]] bool is_terminator(const Instruction& instruction);

// Sets every Block::successors from the blocks' last instructions.
void set_successors(Function& function);

}  // namespace drywarp::ir
