// PTX text of one instruction, for listings and messages.
#pragma once

#include <string>

#include "language/ir/kernel.h"

namespace drywarp::ir {

// The instruction as its text has it, blanks squeezed: "@%p1 ld.global.f32 %f1, [%rd4+8];". What a pass made, or a test
// built by hand, is put together from its fields.
[[nodiscard]] std::string print(const Function& function, const Instruction& instruction);

}  // namespace drywarp::ir
