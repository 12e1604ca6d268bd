// Holds the race check to its oracle on a trace.
#pragma once

#include <cstdint>
#include <string>

#include "engine/check/race_check.h"
#include "race_trace.h"
#include "seeds.h"

namespace drywarp::check {

// Empty: the check is right. Within limits it may say that it is incomplete, and then misses races.
[[nodiscard]] std::string mistakes(const Trace& trace, const RaceLimits& limits = {}, bool* incomplete = nullptr);
[[nodiscard]] std::string print(const Trace& trace);
// Of a generated trace: its mistakes, and whether accesses of it race. Short traces are printed whatever `prints` says.
[[nodiscard]] Judged judge_trace(const Trace& trace, bool prints);

}  // namespace drywarp::check
