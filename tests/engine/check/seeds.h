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

}  // namespace drywarp::check
