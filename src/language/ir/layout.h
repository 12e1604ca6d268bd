// What needs the whole module: the call graph, and the offsets of variables.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

// Functions that lie on a cycle of direct calls: calls of them stay calls.
[[nodiscard]] std::vector<bool> recursive_functions(const Module& module);

// Whether inline_calls replaces this call by the callee's body: direct, of a function with a body that is not
// recursive.
[[nodiscard]] bool can_inline(const Module& module, const std::vector<bool>& recursive, const Instruction& call);

// Fills Function::reachable, local_bytes, shared_bytes and dynamic_shared_alignment and every Symbol::offset of local,
// function-parameter and shared symbols. Expects offsets of frame symbols within their function's own frame, and that
// frame's size in local_bytes.
void lay_out(Module& module);

}  // namespace drywarp::ir
