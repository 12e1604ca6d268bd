#include "engine/check/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "engine/check/race_findings.h"

namespace drywarp::check {
namespace {

// atomicAdd(&count, 0): it polls.
bool leaves_values(const InstructionInfo& i) {
  const std::string_view text = i.text;
  if (!i.atomic || !text.ends_with(", 0;") || i.compare_swap) return false;
  return std::ranges::any_of(std::array{".add.", ".or.", ".xor."},
                             [&](const char* operation) { return text.find(operation) != text.npos; });
}

}  // namespace

RaceCheck::RaceCheck(const CheckedLaunch& launch, const RaceLimits& limits) : Check(launch), races_(limits) {
  // The second access of an instruction is a copy's write: the first one is its read. st.async has one alone. What an
  // instruction has been expanded into, as those of wmma are, has such entries too, and before them one that accesses
  // nothing.
  const std::vector<InstructionInfo>& all = launch.kernel().instructions;
  locks_ = may_lock(all);
  for (const InstructionInfo& i : all) {
    if (i.access == InstructionInfo::kNone || !leaves_values(i)) continue;
    if (idle_.size() <= i.access) idle_.resize(i.access + 1);
    idle_[i.access] = true;
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const bool reads =
        all[i].block != InstructionInfo::kNone && i + 1 < all.size() && all[i + 1].block == InstructionInfo::kNone;
    const auto is = [&](const char* word) { return all[i].text.find(word) != std::string::npos; };
    const bool stores = is("st.async") || is("red.async");
    if (!(reads || stores) || all[i].access == InstructionInfo::kNone) continue;
    if (of_copies_.size() <= all[i].access) of_copies_.resize(all[i].access + 1);
    of_copies_[all[i].access] = true;
  }
}

std::vector<Finding> RaceCheck::between_blocks(uint64_t end) const {
  using Use = GlobalAccesses::Use;
  std::vector<Finding> all;
  for (const GlobalAccesses::Race& race : races_.accesses.races(end)) {
    const bool reads = !race.second->writes;
    const char* other = reads                            ? "read"
                        : race.second->use == Use::Write ? name_of_access(race.second->at, "write")
                                                         : "atomic";
    const auto thread = [&](const GlobalAccesses::Entry::By& by) {
      return launch().thread(by.block, by.thread / kWarpSize, by.thread % kWarpSize);
    };
    Finding f;
    f.kind = reads && race.first->swaps ? FindingKind::BesideSwap
             : reads                    ? FindingKind::ReadWrite
             : race.same_value          ? FindingKind::SameValue
                                        : FindingKind::WriteWrite;
    f.kernel = launch().kernel().display_name;
    f.where = code_of(launch(), race.first->at);
    f.thread = thread(race.by_first);
    f.times = race.words;
    const auto byte = static_cast<uint32_t>(std::countr_zero(uint32_t{race.bytes}));
    describe_race(f, launch(), Memory::Global, race.word * kWordBytes + byte, race.first->at, race.second->at, other);
    f.other = OtherAccess{other, code_of(launch(), race.second->at), thread(race.by_second)};
    all.push_back(std::move(f));
  }
  const auto gave_up = [&](const InstructionInfo* first, uint64_t times, std::string what) {
    Finding f;
    f.kind = FindingKind::Incomplete;
    f.kernel = launch().kernel().display_name;
    if (first) f.where = code_of(launch(), first);
    f.times = times;
    f.what = std::move(what);
    all.push_back(std::move(f));
  };
  const RaceLimits& limits = races_.limits();
  if (const RaceRecords::GivenUp lost = races_.given_up(end); lost.accesses != 0)
    gave_up(lost.first, lost.accesses,
            fmt::format("accesses that were not remembered, and that later ones were not compared with, the first one "
                        "here: racecheck keeps {} records of accesses{}, and {} of 128 bytes of memory",
                        limits.records, races_.independent() ? " of a block" : " of a launch", limits.in_list));
  if (const uint64_t share = races_.accesses.share(); share != 1)
    gave_up(nullptr, 1,
            fmt::format("blocks write the same words, and of these one of {} was compared: racecheck keeps {} of them",
                        share, limits.same_writes));
  return all;
}

}  // namespace drywarp::check
