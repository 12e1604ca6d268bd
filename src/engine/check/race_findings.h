// Races as findings.
#pragma once

#include <optional>

#include "engine/check/check.h"

namespace drywarp::check {

// A lock that orders two accesses as it passed, and would not the other way.
enum class LockRace : uint8_t { None, NotAcquired, NotReleased };
// `place`: an offset in shared memory, or an address. `owner`: of shared memory that other blocks access, the block
// whose it is. Sets what the first of two accesses, which writes, does, and where; `other`: what the second one does.
void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const InstructionInfo* first,
                   const InstructionInfo* second, const char* other, LockRace lock = LockRace::None,
                   std::optional<uint64_t> owner = std::nullopt);
// "atomic" for one, else as given.
[[nodiscard]] const char* name_of_access(const InstructionInfo* at, const char* otherwise);
[[nodiscard]] CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at);

// Two accesses as a finding has them: a write first; of two, the pair in one order, whichever ran first.
struct RacePair {
  const AccessRecord &first, &second;
  FindingKind kind;
  const char* other;  // what the second one is
  bool of_warp;       // both are of one warp
};
[[nodiscard]] RacePair pair_of(const AccessRecord& earlier, const AccessRecord& now, bool same_value);
// The lanes of one warp that access a byte: a thread does not race with itself.
void keep_apart(LaneMask& first, LaneMask& second);

}  // namespace drywarp::check
