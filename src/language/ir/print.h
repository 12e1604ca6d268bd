// PTX text of one instruction, for listings and messages.
#pragma once

#include <string>
#include <string_view>

#include "language/ir/kernel.h"

namespace drywarp::ir {

// The instruction as its text has it, blanks squeezed: "@%p1 ld.global.f32 %f1, [%rd4+8];". An instruction without text
// (made by a pass or a test) is printed from its fields.
[[nodiscard]] std::string print(const Function& function, const Instruction& instruction);

// The modifier as PTX spells it: ".ge", ".down", ".rz"; None: empty.
[[nodiscard]] std::string_view suffix(Compare compare);
[[nodiscard]] std::string_view suffix(Mode mode);
[[nodiscard]] std::string_view suffix(Rounding rounding);

}  // namespace drywarp::ir
