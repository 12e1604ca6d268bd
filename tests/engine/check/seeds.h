// How many random cases a test runs, and which, by environment variables.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "engine/exec/machine.h"

namespace drywarp::check {

// Compiling takes most of the time, and optimizing most of that: one kernel of four is optimized.
inline exec::EngineOptions options_of(uint64_t seed) {
  exec::EngineOptions options = exec::Machine::one_worker();
  if (seed % 4 != 0) options.compile_budget = 0;
  return options;
}

inline uint64_t number_of(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The cases `first` to `end` - 1. `<prefix>_SEED` chooses the first, and this one alone if `number` does not say how
// many.
struct Seeds {
  uint64_t first = 1;
  uint64_t end = 1;
  bool prints = false;  // what the only one does
  bool chosen = false;

  uint64_t count() const { return end - first; }
};

inline Seeds seeds_of(const char* seed, const char* number, uint64_t otherwise) {
  Seeds seeds;
  seeds.chosen = std::getenv(seed) != nullptr;
  seeds.prints = seeds.chosen && !std::getenv(number);
  seeds.first = number_of(seed, 1);
  seeds.end = seeds.first + number_of(number, seeds.chosen ? 1 : otherwise);
  return seeds;
}

}  // namespace drywarp::check
