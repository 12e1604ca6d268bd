// Modifiers back to the suffixes that spell them.
#pragma once

#include <string>

#include "language/ir/kernel.h"

namespace drywarp::ir {

// ".rn.ftz", ".global", ".lt.and", ...: what stands between the mnemonic and the types.
[[nodiscard]] std::string suffixes(const Instruction& instruction);

}  // namespace drywarp::ir
