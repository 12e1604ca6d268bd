#include "engine/check/race_findings.h"

#include <fmt/format.h>

#include "base/support/plural.h"

namespace drywarp::check {

CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at) { return at ? launch.line(*at) : CodeLine(); }

void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const char* other,
                   LockRace lock, std::optional<uint64_t> owner) {
  constexpr const char* kOfLock[] = {
      "", " if the lock passes the other way: one thread has no fence behind taking it",
      " if the lock passes the other way: one thread has no fence before giving it back"};
  std::string where = fmt::format("shared memory at offset {:#x}", place);
  if (owner) {
    const Extent block = launch.thread(*owner, 0, 0).block;
    where = fmt::format("shared memory of block ({},{},{}) at offset {:#x}", block[0], block[1], block[2], place);
  }
  if (memory == Memory::Global) {
    where = "global memory";
    if (const auto near = launch.memory().near(place); near && near->offset >= 0) {
      where += fmt::format(", {} into {} of {}", plural(static_cast<uint64_t>(near->offset), "byte"),
                           near->allocation.what, plural(near->allocation.size, "byte"));
      f.allocation = near->allocation;
    }
  } else {
    f.address = place;
  }
  f.what = fmt::format("write of {}, which nothing orders with the other {}{}", where, other,
                       kOfLock[static_cast<size_t>(lock)]);
}

}  // namespace drywarp::check
