// Of strong loads, and of atomics that leave their word as it is (`atomicAdd(&count, 0)`): values that the function
// looks at by one comparison alone, whatever that decides.
#pragma once

#include <map>

#include "base/events/value_test.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

struct TestedValue {
  ValueTest test;
  ir::RegisterId other = ir::kNone;  // the operand that is known at run time, also before the access; kNone: none
  ir::Type type = ir::Type::None;    // as which it is used
};
// By instruction.
[[nodiscard]] std::map<uint32_t, TestedValue> value_tests(const ir::Function& function);

}  // namespace drywarp::analysis
