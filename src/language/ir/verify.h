// Checks a function against the rules of kernel.h. Run after building and after every pass: what fails here is a bug of
// the pass, and the message says which rule.
#pragma once

#include "base/support/result.h"
#include "language/ir/kernel.h"

namespace drywarp::ir {

[[nodiscard]] Status verify(const Module& module, const Function& function);

}  // namespace drywarp::ir
