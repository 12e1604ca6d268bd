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
  // A function's argument, or what a call gives, that may be such a value: it is told of behind this instruction.
  // kNone: it is read from memory that threads share.
  uint32_t told_behind = ir::kNone;
  bool is_result = false;  // of `call`
  uint32_t call = ir::kNone;
  uint8_t number = 0;  // of the argument or the result
};
// By instruction that reads it.
[[nodiscard]] std::map<uint32_t, TestedValue> value_tests(const ir::Function& function, const ControlFlow& flow);

}  // namespace drywarp::analysis
