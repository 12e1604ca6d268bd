#include "engine/check/race_findings.h"

#include <fmt/format.h>

#include "base/support/article.h"
#include "base/support/plural.h"

namespace drywarp::check {

CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at) { return at ? launch.line(*at) : CodeLine(); }

const char* name_of_access(const InstructionInfo* at, const char* otherwise) {
  return at && at->atomic ? "atomic" : otherwise;
}

namespace {

// Of two atomics that race: the scope of one is its block.
bool is_for_its_block(const InstructionInfo* at) { return at && at->text.find(".cta.") != std::string::npos; }

}  // namespace

void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const InstructionInfo* first,
                   const InstructionInfo* second, const char* other, LockRace lock, std::optional<uint64_t> owner) {
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
  const bool atomics = first && second && first->atomic && second->atomic;
  f.what = fmt::format("{} {}, and {} {} of the same bytes, which nothing orders{}{}",
                       first && first->atomic ? "atomic on" : "write of", where, article(other), other,
                       kOfLock[static_cast<size_t>(lock)],
                       atomics && (is_for_its_block(first) || is_for_its_block(second))
                           ? ": an atomic with the scope of its block is none for other blocks"
                           : "");
}

RacePair pair_of(const AccessRecord& earlier, const AccessRecord& now, bool same_value) {
  const bool both_write = earlier.use.writes && now.use.writes;
  const bool swap = both_write ? now.at < earlier.at : now.use.writes;
  const AccessRecord &a = swap ? now : earlier, &b = swap ? earlier : now;
  const bool of_warp = a.block == b.block && a.warps == b.warps && !a.copies && !b.copies;
  const FindingKind kind = same_value                                 ? FindingKind::SameValue
                           : !both_write && a.use.swaps               ? FindingKind::BesideSwap
                           : of_warp && (!both_write || a.at != b.at) ? FindingKind::WarpLevel
                           : both_write                               ? FindingKind::WriteWrite
                                                                      : FindingKind::ReadWrite;
  const char* const other = !both_write ? "read" : b.use.strong && !b.use.is_volatile ? "atomic" : "write";
  return {a, b, kind, other, of_warp};
}

void keep_apart(LaneMask& first, LaneMask& second) {
  const LaneMask lowest = first & -first;
  if ((second & ~lowest) != 0)
    second &= ~lowest;
  else if ((first & ~second) != 0)
    first &= ~second;
}

}  // namespace drywarp::check
