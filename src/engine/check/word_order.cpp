// What threads release and acquire through words of memory: strong accesses, and fences.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/access/lanes.h"
#include "engine/check/thread_order.h"

namespace drywarp::check {
namespace {

using observe::Access;

uint64_t word_of(uint64_t address) { return address / 4; }
template <class Visit>
void for_words(uint64_t address, uint32_t bytes, Visit visit) {
  for (uint64_t word = word_of(address); word <= word_of(address + bytes - 1); ++word) visit(word);
}

}  // namespace

void ThreadOrder::learn(uint32_t warp, uint32_t lane, std::span<const ReleasedWords::Seen* const> seen, bool wide,
                        FromWords& last) {
  if (seen.empty()) return;
  const Known& from = clocks_.known(warp, lane);
  const bool again =
      last.from == from && std::ranges::equal(last.seen, seen, {}, {}, [](const auto* one) { return one->identity(); });
  if (!again) {
    last = {from, ReleasedWords::learned(from, seen, block_, wide), {}};
    for (const ReleasedWords::Seen* one : seen) last.seen.push_back(one->identity());
  }
  clocks_.learn(warp, 1u << lane, last.result);
}

// The last write that comes before what the lane does now, or `least`, if that is later or there is none.
uint64_t ThreadOrder::last_known(uint32_t warp, uint32_t lane, const ReleasedWords::History& history,
                                 uint64_t least) const {
  const Clock& known = *clocks_.known(warp, lane);
  uint64_t end = history.end(), of_block = ~uint64_t{0};
  const BlockTimes* times = nullptr;
  for (auto run = history.runs.rbegin(); run != history.runs.rend() && end > least; end = run->first, ++run) {
    if (run->block != of_block) times = times_of(known, run->block, block_), of_block = run->block;
    const bool own = run->block == block_ && run->warp == warp;
    const WarpTimes* const row = times && run->warp < times->size() ? &(*times)[run->warp] : nullptr;
    if (!own && (!row || row->reached(run->time) == 0)) continue;
    for (uint64_t at = end; at-- > std::max(run->first, least);) {
      const ReleasedWords::Write& write = history.writes[at - history.first];
      const uint32_t by = write.thread % kWarpSize;
      if ((own && by == lane) || (row && row->reached(by, write.time))) return at;
    }
  }
  return least;
}

// What a read has seen. Of a value that is only tested, the thread knows the answer alone: it may as well have read the
// first write, behind those that it knows, with the same answer. A loop that waits for a count leaves at the first one
// that is enough, in some run.
ReleasedWords::Sight ThreadOrder::see(uint32_t warp, uint32_t lane, uint64_t word, const Reading& r,
                                      Thread::ReadWord& read, const FollowedRead* past) {
  if (r.unread) return {};
  const ReleasedWords& released = words(r.memory);
  const ReleasedWords::History* history = released.history(word);
  if (!history) return released.read(word, block_, r.wide);
  const auto write_at = [&](uint64_t at) -> const ReleasedWords::Write& {
    return history->writes[at - history->first];
  };
  const uint64_t newest = history->end() - 1;
  const uint64_t last = past ? std::clamp(past->end_of(word) - 1, history->first, newest) : newest;
  uint64_t chosen = last;
  if (const ReleasedWords::Write& w = write_at(last); (past ? past->by_answers : r.tested != nullptr) && w.known &&
                                                      history->alike <= last && w.address == r.address &&
                                                      w.bytes == r.bytes) {
    const auto alike = [&](uint64_t at) {
      const uint64_t value = write_at(at).value;
      return past ? past->same_answers(value, w.value)
                  : r.tested->answer(value, lane) == r.tested->answer(w.value, lane);
    };
    const uint64_t least = std::max({history->first, history->alike, std::min(read.write, last)});
    chosen = std::min(last_known(warp, lane, *history, least), last);
    while (chosen != last && !alike(chosen)) ++chosen;
  }
  read.write = std::max(read.write, chosen);
  return chosen == newest ? released.read(word, block_, r.wide)
                          : ReleasedWords::seen(history->writes[chosen - history->first], r.wide);
}

// A lane reads what others may have released there: it learns that at once, or at its next fence.
void ThreadOrder::acquire(uint32_t warp, uint32_t lane, uint64_t word, const Reading& r, const FollowedRead* past) {
  Thread& t = thread(warp, lane);
  auto& unfenced = t.unfenced;
  if (words(r.memory).empty() && unfenced.empty()) return;
  const auto entry = t.read.find(word);
  Thread::ReadWord read = entry == t.read.end() ? Thread::ReadWord() : entry->second;
  const ReleasedWords::Sight sight = see(warp, lane, word, r, read, past);
  if (entry != t.read.end())
    entry->second.write = read.write;
  else if (read.write != 0)
    t.read.emplace(word, read);
  if (sight && sight.is_new(read.learned)) {
    ReleasedWords::Seen seen(sight);
    const auto fits = [&](const auto& o) { return o.first == word && seen.covers(o.second); };
    const bool next = t.next_unfenced < unfenced.size() && fits(unfenced[t.next_unfenced]);
    const auto known =
        next ? unfenced.begin() + static_cast<std::ptrdiff_t>(t.next_unfenced) : std::ranges::find_if(unfenced, fits);
    hands_ = true;
    t.next_unfenced = static_cast<size_t>(known - unfenced.begin()) + 1;
    if (known == unfenced.end())
      unfenced.emplace_back(word, std::move(seen));
    else
      known->second = std::move(seen);
  }
  if (!acquires(r.order)) return;
  std::vector<const ReleasedWords::Seen*> seen;
  for (const auto& [of, earlier] : unfenced) {  // an acquire counts for the word's earlier reads, too
    if (of != word) continue;
    seen.push_back(&earlier);
    if (r.wide) t.read[word].learned = earlier.mark();
  }
  FromWords alone;
  learn(warp, lane, seen, r.wide, alone);
}

void ThreadOrder::write_history(uint32_t warp, uint32_t lane, Memory memory, uint64_t address, uint32_t bytes,
                                Time time, const uint64_t* value) {
  ReleasedWords& released = words(memory);
  if (!released.keeps_history()) return;
  for_words(address, bytes, [&](uint64_t word) {
    released.wrote(word,
                   {address, value ? *value : 0, bytes, value != nullptr, block_, warp * kWarpSize + lane, time, {}});
  });
}

// What a lane's write there lets others know: what it did before the write, or before its last fences.
std::vector<WordRelease> ThreadOrder::releases(uint32_t warp, uint32_t lane, MemoryOrder order, bool wide,
                                               Memory memory) {
  std::vector<WordRelease> all;
  const uint32_t number = warp * kWarpSize + lane;
  const auto* const done = waited(warp);
  const auto add = [&](const Known& what, Time time, bool to_all, bool operation) {
    all.push_back({block_, number, to_all, operation, what, time, done ? (*done)[lane] : 0, clocks_.warps()});
    published_ |= to_all && memory == Memory::Global;
  };
  if (check::releases(order)) {
    add(clocks_.known(warp, lane), clocks_.now(warp), wide, true);
    clocks_.tick(warp);
    return all;
  }
  if (!fenced_) return all;
  const Thread& t = thread(warp, lane);
  const bool has_own = t.wide.known && (t.fresh || !t.handed.fences);  // else it is among those handed on
  if (has_own) add(t.wide.known, t.wide.time, wide, false);
  if (t.narrow.known && t.narrow.time > t.wide.time) add(t.narrow.known, t.narrow.time, false, false);
  if (t.handed.fences) {
    // Which of the lanes tells it does not matter, so that all of them tell it once.
    all.push_back({block_, 0, wide, false, t.handed.fences, 0, 0, clocks_.warps()});
    published_ |= wide && memory == Memory::Global;
  }
  return all;
}

void ThreadOrder::access(const Access& a, const Use& use) {
  touched_[a.warp] |= a.lanes;
  if (a.memory == Memory::Local) return;
  const bool wide = is_wide(a.scope, clusters_);
  const uint64_t* const at = a.memory == Memory::Shared ? a.places : a.addresses;
  if (!is_strong(a)) {
    if (a.kind != AccessKind::Load && !words(a.memory).empty())
      for_lanes(a.lanes,
                [&](uint32_t lane) { words(a.memory).overwrite(word_of(at[lane]), word_of(at[lane] + a.bytes - 1)); });
    return;
  }
  if (is_atomic(a)) {  // its outcome says what it orders
    Atomic& last = atomics_[a.warp][a.memory == Memory::Shared];
    // Lanes of one instruction may be told of in parts.
    if (last.access != a.access) last.lanes = 0;
    last.access = a.access, last.lanes |= a.lanes;
    last.order = a.order, last.wide = wide, last.use = use, last.tested = a.tested, last.bytes = a.bytes;
    last.followed = a.followed, last.goes_to = a.goes_to;
    for_lanes(a.lanes, [&](uint32_t lane) { last.at[lane] = at[lane]; });
    return;
  }
  if (a.kind == AccessKind::Load) {
    if (words(a.memory).empty()) return;
    for_lanes(a.lanes, [&](uint32_t lane) {
      const Reading r{a.memory, a.order, wide, use.unread, a.tested, at[lane], a.bytes};
      if (a.followed && follow(a.warp, lane, a.access, r, *a.followed, a.goes_to)) return;
      for_words(at[lane], a.bytes, [&](uint64_t word) { acquire(a.warp, lane, word, r); });
    });
    return;
  }
  const bool keeps = words(a.memory).keeps_history();
  if (!keeps && !fenced_ && !check::releases(a.order) && words(a.memory).empty()) return;
  for_lanes(a.lanes, [&](uint32_t lane) {
    const Time time = clocks_.now(a.warp);
    const std::vector<WordRelease> what = releases(a.warp, lane, a.order, wide, a.memory);
    for_words(at[lane], a.bytes,
              [&](uint64_t word) { words(a.memory).store(word, block_, a.warp * kWarpSize + lane, what, wide); });
    if (!keeps) return;
    uint64_t value = 0;
    const bool has = a.values && a.element_bytes == a.bytes && a.bytes <= sizeof value;
    if (has) std::memcpy(&value, a.values + size_t{lane} * a.bytes, a.bytes);
    write_history(a.warp, lane, a.memory, at[lane], a.bytes, time, has ? &value : nullptr);
  });
}

void ThreadOrder::outcome(const observe::Outcome& o, const std::function<void(uint32_t lane)>& ran) {
  for (const Memory memory : {Memory::Global, Memory::Shared}) outcome(o, memory, ran);
}

void ThreadOrder::outcome(const observe::Outcome& o, Memory memory, const std::function<void(uint32_t lane)>& ran) {
  Atomic& last = atomics_[o.warp][memory == Memory::Shared];
  if (last.access != o.access) return;
  const LaneMask lanes = last.lanes & o.lanes;
  last.lanes &= ~o.lanes;
  const bool keeps = words(memory).keeps_history();
  if (!ran && !keeps && !fenced_ && !check::releases(last.order) && words(memory).empty()) return;
  for_lanes(lanes, [&](uint32_t lane) {
    const Reading r{memory, last.order, last.wide, last.use.unread, last.tested, last.at[lane], last.bytes};
    if (!last.followed || !follow(o.warp, lane, o.access, r, *last.followed, last.goes_to))
      for_words(last.at[lane], last.bytes, [&](uint64_t word) { acquire(o.warp, lane, word, r); });
    if (ran) ran(lane);
    if (last.use.idle || (o.wrote >> lane & 1) == 0) return;
    const Time time = clocks_.now(o.warp);
    const std::vector<WordRelease> what = releases(o.warp, lane, last.order, last.wide, memory);
    for_words(last.at[lane], last.bytes,
              [&](uint64_t word) { words(memory).update(word, block_, o.warp * kWarpSize + lane, what, last.wide); });
    write_history(o.warp, lane, memory, last.at[lane], last.bytes, time, o.after ? o.after + lane : nullptr);
  });
}

void ThreadOrder::fence(const observe::Fence& f) {
  for_lanes(f.lanes & following_[f.warp], [&](uint32_t lane) {
    std::optional<observe::Fence>& fence = thread(f.warp, lane).followed->fence;
    if (!fence || is_wide(f.scope, clusters_)) fence = f, fence->lanes = LaneMask{1} << lane;
  });
  fence_lanes(f);
}

void ThreadOrder::fence_lanes(const observe::Fence& f) {
  const bool wide = is_wide(f.scope, clusters_);
  fenced_ = true;
  hands_ |= wide;
  FromWords last;
  std::vector<ReleasedWords::Seen> kept;                // until all lanes have learned
  std::vector<std::shared_ptr<const WordsSeen>> lists;  // likewise
  for_lanes(f.lanes, [&](uint32_t lane) {
    Thread& t = thread(f.warp, lane);
    const Known from = clocks_.known(f.warp, lane);
    const bool as_handed = t.handed.reads && covers(*t.handed.reads, t.unfenced);
    const bool known = as_handed && wide == from_handed_.wide && from_handed_.reads.lock() == t.handed.reads &&
                       (from == from_handed_.from || from == from_handed_.result);
    if (known) {
      clocks_.learn(f.warp, 1u << lane, from_handed_.result);
    } else {
      std::vector<const ReleasedWords::Seen*> seen;
      if (t.handed.reads)
        for (const auto& read : *t.handed.reads) seen.push_back(&read.second);
      if (!as_handed)
        for (const auto& read : t.unfenced) seen.push_back(&read.second);
      learn(f.warp, lane, seen, wide, last);
      if (as_handed) from_handed_ = {from, clocks_.known(f.warp, lane), t.handed.reads, wide};
    }
    if (wide) {
      for (const auto& [word, earlier] : t.unfenced) t.read[word].learned = earlier.mark();
      if (t.handed.reads) lists.push_back(std::move(t.handed.reads));
      t.handed = {}, t.fresh = true;
      for (auto& [word, earlier] : t.unfenced) kept.push_back(std::move(earlier));
      t.unfenced.clear();
    }
    (wide ? t.wide : t.narrow) = {clocks_.known(f.warp, lane), clocks_.now(f.warp)};
  });
  clocks_.tick(f.warp);
}

void ThreadOrder::release_at(uint32_t warp, uint32_t lane, uint64_t word, MemoryOrder order, bool anew) {
  const std::vector<WordRelease> what = releases(warp, lane, order, true, Memory::Global);
  ReleasedWords& global = words(Memory::Global);
  const uint32_t number = warp * kWarpSize + lane;
  if (anew)
    global.store(word, block_, number, what, true);
  else
    global.update(word, block_, number, what, true);
}

}  // namespace drywarp::check
