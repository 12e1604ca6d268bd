// How many random cases a test runs, and which, by environment variables; and the loop over them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

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

// What came of one case.
struct Judged {
  std::string problems;  // empty: the check is right
  uint64_t faulty = 0;   // it has what the check looks for; of several launches, so many have
};

// The share of faulty cases, in percent of the seeds. A generator whose cases are nearly all alike tests little.
struct FaultyShare {
  uint64_t least = 0, most = 100;
};

// Judges case by case, until ten are wrong. Returns how many are.
inline uint64_t judge_all(const Seeds& seeds, const std::function<Judged(uint64_t seed)>& judge,
                          const std::optional<FaultyShare>& share = std::nullopt) {
  constexpr uint64_t kMostWrong = 10;
  uint64_t faulty = 0, wrong = 0;
  for (uint64_t seed = seeds.first; seed < seeds.end && wrong < kMostWrong; ++seed) {
    const Judged judged = judge(seed);
    faulty += judged.faulty;
    if (judged.problems.empty()) continue;
    ADD_FAILURE() << "seed " << seed << "\n" << judged.problems;
    ++wrong;
  }
  if (share && !seeds.chosen && wrong == 0) {
    EXPECT_GE(faulty * 100, seeds.count() * share->least);
    EXPECT_LE(faulty * 100, seeds.count() * share->most);
  }
  return wrong;
}

}  // namespace drywarp::check
