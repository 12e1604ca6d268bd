// Inputs of the programs with Thrust and CUB, the same in every run.
#pragma once

#include <cstdint>
#include <vector>

#include "../semantics/check.h"

// Numbers below `bound`, with repetitions, in no order.
inline std::vector<int> some_numbers(size_t count, int bound, uint32_t seed = 1) {
  std::vector<int> out(count);
  for (int& value : out) {
    seed = seed * 1664525 + 1013904223;
    value = int((seed >> 8) % uint32_t(bound));
  }
  return out;
}
