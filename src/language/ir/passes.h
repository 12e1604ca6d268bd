// What is done with a Function or a Module as a whole.
#pragma once

#include <vector>

#include "base/support/result.h"
#include "language/ir/kernel.h"

namespace drywarp::ir {

// ---- build/build_blocks.cpp

// bra, brx.idx, ret, exit, trap: guarded or not, they end a block.
[[nodiscard]] bool is_terminator(const Instruction& instruction);

// Sets every Block::successors from the blocks' last instructions.
void set_successors(Function& function);

// ---- layout.cpp

// Functions that lie on a cycle of direct calls: calls of them stay calls.
[[nodiscard]] std::vector<bool> recursive_functions(const Module& module);

// Whether inline_calls replaces this call by the callee's body: direct, of a function with a body that is not
// recursive.
[[nodiscard]] bool can_inline(const Module& module, const std::vector<bool>& recursive, const Instruction& call);

// Fills Function::reachable, local_bytes, shared_bytes and dynamic_shared_alignment and every Symbol::offset of local,
// function-parameter and shared symbols. Expects offsets of frame symbols within their function's own frame, and that
// frame's size in local_bytes.
void lay_out(Module& module);

// ---- inline_calls.cpp

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

// ---- param_slots.cpp

// Turns .param slots of calls into registers. Slots whose address nothing takes and no real call uses, and whose
// accesses are pairwise the same part or disjoint, become one register a part. Sets local_bytes to the end of the last
// frame symbol still in use.
void promote_param_slots(const Module& module, Function& function);

// ---- verify.cpp

// Checks a function against the rules of kernel.h. Run after building and after every pass: what fails here is a bug of
// the pass, and the message says which rule.
[[nodiscard]] Status verify(const Module& module, const Function& function);

}  // namespace drywarp::ir
