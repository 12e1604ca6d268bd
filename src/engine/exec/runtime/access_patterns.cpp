// Accesses whose lanes lie in the window that is likely, by the patterns of earlier ones: an equal pattern costs the
// same.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/access/access_pattern.h"
#include "base/access/lane_offsets.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/local_memory.h"

namespace drywarp::exec {

using jit::PatternMemo;

namespace {

// The window that probably holds the access; empty: not known.
Window likely_window(const Access& a) {
  const uint64_t first = a.addresses[std::countr_zero(a.mask)];
  const Window in_shared = variable_window(a.warp, a.instruction, first);
  const Window in_local = local_window(a.warp);
  switch (a.space) {
    case AddressSpace::Shared:
      return in_shared;
    case AddressSpace::Local:
      return a.warp.owner->spares ? Window{} : in_local;
    case AddressSpace::Param:
      return {};
    case AddressSpace::Generic:
      if (in_shared.holds(first, a.bytes)) return in_shared;
      if (in_local.holds(first, a.bytes)) return a.warp.owner->spares ? Window{} : in_local;
      break;
    default:
      break;
  }
  if (!a.site) return {};
  return {a.site->window_base, a.site->window_end, Memory::Global, a.space != AddressSpace::Const, true};
}

jit::PatternMemos& memos_of(Worker& worker, jit::AccessSite& record) {
  if (!record.patterns) {
    worker.patterns.push_back(std::make_unique<jit::PatternMemos>());
    record.patterns = worker.patterns.back().get();
  }
  return *record.patterns;
}

PatternMemo& memo_of(jit::PatternMemos& memos, const LaneDistances& d, uint32_t mask, uint32_t place) {
  const uint32_t* at = d.from_first;
  const uint32_t sum = mask + place + at[1] + 3 * at[2] + 5 * at[4] + 9 * at[8] + 17 * at[16] + 33 * at[31];
  return memos.memos[sum * 0x9e3779b9u >> (32 - jit::kPatternMemoBits)];
}

// Patterns of sorts and of hash tables never come again: looking for them would cost more than what memos keep. An
// instruction whose memos know fewer than a third of its accesses leaves them alone for a while.
constexpr int32_t kWorthOfHit = 2, kMostWorth = 32, kLeastWorth = -32, kWorthAfterPause = -24;
constexpr uint32_t kPause = 512;

void note_hit(jit::PatternMemos& memos) { memos.worth = std::min(memos.worth + kWorthOfHit, kMostWorth); }
void note_miss(jit::PatternMemos& memos) {
  if (--memos.worth >= kLeastWorth) return;
  memos.pause = kPause, memos.worth = kWorthAfterPause;
}

bool same(const uint32_t* a, const uint32_t* b) {
  using Lanes = uint32_t __attribute__((ext_vector_type(32)));
  return __builtin_reduce_or(*reinterpret_cast<const Lanes*>(a) ^ *reinterpret_cast<const Lanes*>(b)) == 0;
}

void count_pattern(const Access& a, const Window& window, const LaneDistances& d) {
  Worker& worker = *a.warp.worker;
  if (!a.site || !window.counted || !worker.launch->counters) return;
  jit::AccessSite& record = *record_of(a.site, a.space, window.memory);
  if (window.end - window.base > kWidestWindow) {
    record.total += cost(a, window.memory);
    return;
  }
  jit::PatternMemos& memos = memos_of(worker, record);
  if (memos.pause != 0) {
    --memos.pause;
    record.total += cost(a, window.memory);
    return;
  }
  // The bits of the first lane's address that can change the cost: see AccessMemo's key.
  const uint64_t places = window.memory == Memory::Global
                              ? kSectorBytes - 1
                              : jit::shared_alignment(worker.launch->shared_banks.period(), a.op);
  const auto place = static_cast<uint32_t>(d.first & places);
  PatternMemo& memo = memo_of(memos, d, a.mask, place);
  if (memo.mask == a.mask && memo.place == place && same(memo.from_first, d.from_first)) {
    ++memo.hits;
    note_hit(memos);
    return;
  }
  note_miss(memos);
  flush(record, memo);
  std::memcpy(memo.from_first, d.from_first, sizeof memo.from_first);
  memo.mask = a.mask, memo.place = place;
  memo.each = cost(a, window.memory);
  record.total += memo.each;
}

bool inside(const Access& a, const Window& window, LaneDistances& d) {
  const Launch& launch = *a.warp.worker->launch;
  const bool local = window.memory == Memory::Local;
  const uint64_t end = local ? window.base + launch.local_bytes : window.end;  // of local memory, the first lane's
  if (window.base >= end || end - window.base < a.bytes) return false;
  const uint64_t room = end - window.base - a.bytes;
  if (local)
    measure_own_lanes(a.addresses, a.mask, launch.local_starts, window.base, room, a.bytes - 1, &d);
  else
    measure_lanes(a.addresses, a.mask, window.base, room, a.bytes - 1, &d);
  return d.inside;
}

// Whether all addresses are computed from pointers into the window, or to its end.
bool from_inside(const Access& a, const Window& window) {
  if (!a.origins || window.memory != Memory::Global) return true;
  uint64_t least = ~uint64_t{0}, most = 0;
  for (uint32_t left = a.mask; left != 0; left &= left - 1) {
    const uint64_t origin = a.origins[std::countr_zero(left)];
    least = std::min(least, origin), most = std::max(most, origin);
  }
  return least >= window.base && most <= window.end;
}

}  // namespace

Window check_and_count(Access& a) {
  LaneDistances distances;
  Window window = likely_window(a);
  if (inside(a, window, distances) && from_inside(a, window)) {
    count_pattern(a, window, distances);
    return window;
  }
  bool all_in_one = false;
  window = check(a, &all_in_one);
  if (a.mask != 0 && all_in_one && inside(a, window, distances)) {
    count_pattern(a, window, distances);
  } else {
    count(a, window, all_in_one);
  }
  return window;
}

void flush_sites(Worker& worker) {
  for (jit::AccessSite& site : worker.sites) {
    for (jit::AccessMemo& memo : site.memos) flush(site, memo);
    if (!site.patterns) continue;
    for (PatternMemo& memo : site.patterns->memos) flush(site, memo);
  }
}

}  // namespace drywarp::exec
