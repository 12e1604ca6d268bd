// Operand values for tests: edge cases of every type that fits the register, and random ones. The same every time.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "form.h"

namespace drywarp::jit::test {

class Inputs {
 public:
  // One operand's value. `earlier`: the same lane's operands before it, to be near or equal to at times.
  uint64_t value(const ParsedForm::Slot& slot, const std::vector<uint64_t>& earlier);

 private:
  std::mt19937_64 random_{20261121};
};

}  // namespace drywarp::jit::test
