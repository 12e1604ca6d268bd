// wmma.load, wmma.store and wmma.mma as the instructions that compute them.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

[[nodiscard]] bool is_wmma(Opcode op);

// What stands for a wmma instruction, in the order in which it runs: the instruction itself without operands
// (Origin::Expanded), then loads, stores, exchanges and products (Origin::Part), which may use new registers of
// `function`. Empty: not a form that is known, or other operands than it has.
//
// PTX leaves open which lane has which element of a fragment. Here, as on GPUs since compute capability 8.0, fragments
// are those of mma.sync, block after block: a and b of 16 and 8 rows or columns, or the other way round for m8n32.
[[nodiscard]] std::vector<Instruction> expand_wmma(const Instruction& in, const Module& module, Function& function);

}  // namespace drywarp::ir
