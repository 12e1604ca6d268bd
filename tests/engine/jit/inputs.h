// Operand values for tests: edge cases of each type that fits the register, and random ones from a fixed seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "form.h"

namespace drywarp::jit::test {

class Inputs {
 public:
  // One operand's value. `earlier`: the lane's operands before it; some values are near or equal to one of them.
  uint64_t value(const ParsedForm::Slot& slot, const std::vector<uint64_t>& earlier);

 private:
  std::mt19937_64 random_{20261121};
};

}  // namespace drywarp::jit::test
