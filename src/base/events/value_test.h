// What a thread asks of a value that it has read from memory and looks at in no other way: `while (*flag < count)`.
// Another value with the same answer would have told it the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/access/access_pattern.h"

namespace drywarp {

// Steps from the value to a truth. Generated code has it in memory as it is here.
struct ValueTest {
  enum class Op : uint32_t {
    ZeroExtend,
    SignExtend,
    And,
    Or,
    Xor,
    Add,
    Subtract,
    SubtractFrom,
    Equal,
    Less,
    LessSigned
  };
  struct Step {
    Op op = Op::ZeroExtend;
    uint8_t bits = 64;      // of the operands and the result
    bool other = false;     // the operand that is known at run time; false: `immediate`
    bool negated = false;   // Equal, Less: not so
    bool reversed = false;  // Less: the operand is the lesser one
    uint64_t immediate = 0;
  };
  static constexpr size_t kMostSteps = 5;
  uint64_t count = 0;
  std::array<Step, kMostSteps> steps;

  // `value`: as memory has it, with zeroes above.
  [[nodiscard]] bool holds(uint64_t value, uint64_t other) const;
};

// Of an access: the test, and the operand of each lane.
struct TestedLanes {
  std::array<uint64_t, kWarpSize> other;
  ValueTest test;
};

}  // namespace drywarp
