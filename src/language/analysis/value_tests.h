// Of strong loads, and of atomics that leave their word as it is (`atomicAdd(&count, 0)`): values that the function
// only compares, and whose comparisons decide something. What they decide is the answer: `v == 1 || v == 4` has two.
#pragma once

#include <array>
#include <map>

#include "base/events/value_test.h"
#include "language/analysis/passes.h"

namespace drywarp::analysis {

struct TestedValue {
  ValueTest test;
  // Operands that are known at run time, also before the access.
  struct Other {
    ir::RegisterId id = ir::kNone;   // kNone: there is none
    ir::Type type = ir::Type::None;  // as which it is used
    bool operator==(const Other&) const = default;
  };
  std::array<Other, ValueTest::kOthers> others;
};
// By instruction.
[[nodiscard]] std::map<uint32_t, TestedValue> value_tests(const ir::Function& function, const ControlFlow& flow);

}  // namespace drywarp::analysis
