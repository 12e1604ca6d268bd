// Races as findings.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

// `place`: an offset in shared memory, or an address. Sets what the write of a race is, and where.
// A lock that orders two accesses as it passed, and would not the other way.
enum class LockRace : uint8_t { None, NotAcquired, NotReleased };
void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const char* other,
                   LockRace lock = LockRace::None);
[[nodiscard]] CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at);

}  // namespace drywarp::check
