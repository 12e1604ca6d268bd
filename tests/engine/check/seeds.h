// How many random cases a test runs, and which, by environment variables.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace drywarp::check {

inline uint64_t number_of(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace drywarp::check
