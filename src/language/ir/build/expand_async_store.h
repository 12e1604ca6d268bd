// st.async and red.async of shared memory as the instructions that do their work.
#pragma once

#include <vector>

#include "language/ir/kernel.h"

namespace drywarp::ir {

[[nodiscard]] bool is_async_store(Opcode op);

// What stands for one of them: the instruction itself without operands (Origin::Expanded), then the store or reduction,
// and mbarrier.complete_tx of its bytes (Origin::Part). Each lane's barrier object so hears of that lane's bytes behind
// their store. Empty: not a form that is known, or other operands than it has.
[[nodiscard]] std::vector<Instruction> expand_async_store(const Instruction& in);

}  // namespace drywarp::ir
