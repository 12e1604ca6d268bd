// What a thread asks of a value that it has read from memory and looks at in no other way: `while (*flag < count)`,
// `while (v != 1 && v != 4)`. Another value with the same answer would have told it the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/access/access_pattern.h"

namespace drywarp {

// Steps from the value to an answer. Generated code has it in memory as it is here.
struct ValueTest {
  enum class Op : uint32_t {
    Constant,
    ZeroExtend,
    SignExtend,
    And,
    Or,
    Xor,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Equal,
    Less,
    LessSigned,
    Not,     // of truths
    Choose,  // a ? b : c
    Pair     // both answers, each below 256
  };
  static constexpr size_t kMostSteps = 24, kOthers = 2;
  // Operands: the value, the results of the steps in their order, the step's own immediate, and what is known at run
  // time.
  static constexpr uint8_t kValue = 0, kImmediate = 253, kOther = 254;
  struct Step {
    Op op = Op::Constant;
    uint8_t bits = 64;  // of the operands and the result
    uint8_t a = kValue, b = kImmediate, c = kImmediate;
    uint64_t immediate = 0;
    bool operator==(const Step&) const = default;
  };
  uint32_t count = 0;
  // Of a value that becomes an argument or the result of a really called function, which may look at it: the number of
  // the step, from 1, whose result that is; 0: it does not.
  uint8_t goes_on = 0;
  bool decides = true;     // it is looked at here, too: else the answer is 0
  bool is_result = false;  // of the function; false: an argument
  uint8_t number = 0;      // of the result or the argument
  uint32_t call = 0;       // of an argument: the instruction
  uint32_t unused = 0;
  std::array<Step, kMostSteps> steps;

  // The last step's result. `value`: as memory has it, with zeroes above. `on`: for the value that goes on; or null.
  [[nodiscard]] uint64_t answer(uint64_t value, const std::array<uint64_t, kOthers>& others,
                                uint64_t* on = nullptr) const;
};

// Of an access: what is known to each lane, and the test, of which only the steps that count are there.
struct TestedLanes {
  std::array<std::array<uint64_t, kWarpSize>, ValueTest::kOthers> others;
  ValueTest test;

  [[nodiscard]] uint64_t answer(uint64_t value, uint32_t lane) const {
    return test.answer(value, {others[0][lane], others[1][lane]});
  }
};

}  // namespace drywarp
