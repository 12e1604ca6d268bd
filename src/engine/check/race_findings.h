// Races as findings.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

// `place`: an offset in shared memory, or an address. Sets what the write of a race is, and where.
// `by_lock`: a lock orders the accesses as it passed, and would not the other way.
void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const char* other,
                   bool by_lock = false);
[[nodiscard]] CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at);

}  // namespace drywarp::check
