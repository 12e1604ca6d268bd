// Holds the race check to its oracle on a trace.
#pragma once

#include <cstdint>
#include <string>

#include "engine/check/race_check.h"
#include "race_trace.h"

namespace drywarp::check {

// Empty: the check is right. Within limits it may say that it is incomplete, and then misses races.
[[nodiscard]] std::string mistakes(const Trace& trace, const RaceLimits& limits = {}, bool* incomplete = nullptr);
[[nodiscard]] std::string print(const Trace& trace);
// What a test says of a generated trace with mistakes; short traces are printed whatever `prints` says.
[[nodiscard]] std::string problems_of_seed(uint64_t seed, const Trace& trace, const std::string& problems, bool prints);

}  // namespace drywarp::check
