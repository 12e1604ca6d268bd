// Puts the bodies of called functions in place of their calls.
#pragma once

#include "language/ir/kernel.h"

namespace drywarp::ir {

// `function` (a kernel, or a function that something really calls) with every direct call of a function with a body
// inlined, at any depth. These stay Opcode::Call: calls of declared functions (vprintf, malloc), through a register, of
// recursive functions, of functions whose parameters the call does not fit, and what would make the result larger than
// 65536 instructions.
//
// - Registers of the callee are appended; places too, with `inlined_at` leading to the call.
// - The call itself stays as a marker (Origin::InlinedCall) that does nothing; the callee's `ret` becomes a jump behind
//   the call (Origin::InlinedRet). Each counts as the one instruction that it was. Moves and jumps that the text does
//   not have are Origin::Added. `exit` and `trap` of a callee stay.
// - The callee's parameters and results become the caller's call slots, or are copied from and to registers.
// - Then every .param slot of which each part is always read and written whole becomes registers: its loads and stores
//   become `mov` or, where the register's width differs, `cvt`. local_bytes is what then remains in memory.
[[nodiscard]] Function inline_calls(const Module& module, const Function& function);

}  // namespace drywarp::ir
