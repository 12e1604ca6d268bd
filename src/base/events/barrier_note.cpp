#include "base/events/barrier_note.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/support/plural.h"

namespace drywarp {
namespace {

using Kind = BarrierNote::Kind;

struct KindTexts {
  const char *key, *name;
};
constexpr KindTexts kKinds[kBarrierNoteKinds] = {
    {"divergent_warp", "divergent barrier"},
    {"skipped_by_warps", "skipped barrier"},
    {"threads_ended", "barrier"},
    {"warps_apart", "different barriers"},
};

// Blocks in the order of their numbers: x fastest.
auto order(const BarrierNote& n) { return std::tuple(n.kind, n.block[2], n.block[1], n.block[0]); }

const char* verb(uint32_t n, const char* of_one, const char* of_many) { return n == 1 ? of_one : of_many; }

}  // namespace

void add(std::vector<BarrierNote>& notes, const BarrierNote& note) {
  const auto known = std::ranges::find(notes, note.code_block, &BarrierNote::code_block);
  if (known == notes.end()) {
    notes.insert(std::ranges::upper_bound(notes, note.code_block, {}, &BarrierNote::code_block), note);
    return;
  }
  const uint64_t times = known->times + note.times;
  if (order(note) < order(*known)) *known = note;
  known->times = times;
}

const char* name(Kind kind) { return kKinds[static_cast<size_t>(kind)].name; }
const char* key(Kind kind) { return kKinds[static_cast<size_t>(kind)].key; }

std::string what_happened(const BarrierNote& n) {
  const std::string block = fmt::format("block ({},{},{})", n.block[0], n.block[1], n.block[2]);
  if (n.kind == Kind::ThreadsEnded)
    return fmt::format("{} of {} of {} {} ended before it", n.absent, plural(n.absent + n.waited, "thread"), block,
                       verb(n.absent, "has", "have"));
  if (n.kind == Kind::WarpsApart)
    return fmt::format("of {}, {} {} at it and {} at another one", block, plural(n.waited, "warp"),
                       verb(n.waited, "waits", "wait"), n.absent);
  const bool lanes = n.kind == Kind::DivergentWarp;
  return fmt::format("of {}{}, {} {} at it and {} {} on and {} without it",
                     lanes ? fmt::format("warp {} of ", n.warp) : std::string(), block,
                     plural(n.waited, lanes ? "lane" : "warp"), verb(n.waited, "waits", "wait"), n.absent,
                     verb(n.absent, "runs", "run"), verb(n.absent, "ends", "end"));
}

const char* meaning(const BarrierNote& n) {
  if (n.kind == Kind::WarpsApart)
    return "CUDA leaves that undefined; a GPU counts warps and lets them pass, and so does this run";
  return n.divergent() ? "CUDA leaves that undefined; ended threads count as arrived, as on a GPU"
                       : "They count as arrived since compute capability 7.0; before, that is undefined";
}

}  // namespace drywarp
