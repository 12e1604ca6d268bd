#include "engine/check/thread_order.h"

#include <algorithm>
#include <bit>

#include "base/access/lanes.h"

namespace drywarp::check {
namespace {

using observe::Access;

uint64_t word_of(uint64_t address) { return address / 4; }
template <class Visit>
void for_words(uint64_t address, uint32_t bytes, Visit visit) {
  for (uint64_t word = word_of(address); word <= word_of(address + bytes - 1); ++word) visit(word);
}

}  // namespace

bool acquires(MemoryOrder o) { return o == MemoryOrder::Acquire || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }
bool releases(MemoryOrder o) { return o == MemoryOrder::Release || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }
bool is_atomic(const Access& a) { return a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap; }
bool is_strong(const Access& a) { return is_atomic(a) || a.order != MemoryOrder::Weak; }
bool is_wide(MemoryScope scope) { return scope != MemoryScope::Cta && scope != MemoryScope::Cluster; }

void ThreadOrder::begin(uint64_t block, uint32_t threads, ReleasedWords& global) {
  const uint32_t warps = (threads + kWarpSize - 1) / kWarpSize, last = threads % kWarpSize;
  clocks_.begin(warps, last == 0 ? 0 : ~LaneMask{0} << last);
  block_ = block;
  global_ = &global;
  threads_.resize(size_t{warps} * kWarpSize);
  atomics_.resize(warps);
  touched_.resize(warps);
}

ThreadOrder::Copies& ThreadOrder::copies(uint32_t warp) {
  if (copies_.empty()) copies_.resize(clocks_.warps());
  if (!copies_[warp]) copies_[warp] = std::make_unique<Copies>();
  return *copies_[warp];
}

void ThreadOrder::collect(Moment& moment, uint32_t warp, LaneMask lanes) const {
  clocks_.collect(moment, warp, lanes);
  const std::array<Time, kWarpSize>* done = waited(warp);
  if (!done) return;
  for (LaneMask left = lanes; left != 0;) {
    const Time time = (*done)[static_cast<unsigned>(std::countr_zero(left))];
    LaneMask same = 0;
    for_lanes(left, [&](uint32_t lane) { same |= LaneMask{(*done)[lane] == time} << lane; });
    left &= ~same;
    const bool whole = (same | clocks_.absent(warp)) == ~LaneMask{0};
    moment.raise(clocks_.copies_of(warp), whole ? ~LaneMask{0} : same, time);
  }
}

void ThreadOrder::pass(uint32_t warp, LaneMask lanes, const Known& known) {
  if (lanes == 0) return;
  clocks_.learn(warp, lanes, known);
  clocks_.tick(warp);
}

void ThreadOrder::learn(uint32_t warp, uint32_t lane, const Known& more) {
  const Known from = clocks_.known(warp, lane);
  if (from != from_ || more != more_) {
    auto all = std::make_shared<Clock>(*from);
    join(*all, *more);
    from_ = from, more_ = more, learned_ = std::move(all);
  }
  clocks_.learn(warp, 1u << lane, learned_);
}

void ThreadOrder::learn(uint32_t warp, uint32_t lane, std::span<const ReleasedWords::Seen* const> seen, bool wide) {
  if (!seen.empty())
    clocks_.learn(warp, 1u << lane, ReleasedWords::learned(clocks_.known(warp, lane), seen, block_, wide));
}

// A lane reads what others may have released there: it learns that at once, or at its next fence.
void ThreadOrder::acquire(uint32_t warp, uint32_t lane, Memory memory, uint64_t word, MemoryOrder order, bool wide,
                          bool unread) {
  const ReleasedWords& released = words(memory);
  auto& unfenced = thread(warp, lane).unfenced;
  if (released.empty() && unfenced.empty()) return;
  if (const ReleasedWords::Seen seen = unread ? ReleasedWords::Seen() : released.read(word, block_, wide)) {
    std::erase_if(unfenced, [&](const auto& o) { return o.first == word && seen.covers(o.second); });
    unfenced.emplace_back(word, seen);
  }
  if (!acquires(order)) return;
  std::vector<const ReleasedWords::Seen*> seen;
  for (const auto& [of, earlier] : unfenced)  // an acquire counts for the word's earlier reads, too
    if (of == word) seen.push_back(&earlier);
  learn(warp, lane, seen, wide);
}

// What a lane's write there lets others know: what it did before the write, or before its last fences.
std::vector<WordRelease> ThreadOrder::releases(uint32_t warp, uint32_t lane, MemoryOrder order, bool wide,
                                               Memory memory) {
  std::vector<WordRelease> all;
  const uint32_t number = warp * kWarpSize + lane;
  const auto* const done = waited(warp);
  const auto moment = [&](const Known& known, Time time) {
    Moment what;
    what.join(known);
    what.raise(warp, 1u << lane, time);
    if (done) what.raise(clocks_.copies_of(warp), 1u << lane, (*done)[lane]);
    return what.known();
  };
  const auto add = [&](const Known& what, bool to_all, bool operation) {
    all.push_back({block_, number, to_all, operation, what});
    published_ |= to_all && memory == Memory::Global;
  };
  if (check::releases(order)) {
    add(moment(clocks_.known(warp, lane), clocks_.now(warp)), wide, true);
    clocks_.tick(warp);
    return all;
  }
  if (!fenced_) return all;
  const auto since = [&](Fenced& fence) -> const Known& {
    const Time copies = done ? (*done)[lane] : 0;
    if (!fence.told || fence.waited != copies) fence.told = moment(fence.known, fence.time), fence.waited = copies;
    return fence.told;
  };
  Thread& t = thread(warp, lane);
  if (t.wide.known) add(since(t.wide), wide, false);
  if (t.narrow.known && t.narrow.time > t.wide.time) add(since(t.narrow), false, false);
  return all;
}

void ThreadOrder::access(const Access& a, bool unread) {
  touched_[a.warp] |= a.lanes;
  if (a.memory == Memory::Local) return;
  const bool wide = is_wide(a.scope);
  const uint64_t* const at = a.memory == Memory::Shared ? a.places : a.addresses;
  if (!is_strong(a)) {
    if (a.kind != AccessKind::Load && !words(a.memory).empty())
      for_lanes(a.lanes,
                [&](uint32_t lane) { words(a.memory).overwrite(word_of(at[lane]), word_of(at[lane] + a.bytes - 1)); });
    return;
  }
  if (is_atomic(a)) {  // its outcome says what it orders
    Atomic& last = atomics_[a.warp];
    last = {a.memory, a.order, wide, unread, a.bytes, {}};
    std::copy_n(at, kWarpSize, last.at.begin());
    return;
  }
  if (a.kind == AccessKind::Load) {
    if (words(a.memory).empty()) return;
    for_lanes(a.lanes, [&](uint32_t lane) {
      for_words(at[lane], a.bytes,
                [&](uint64_t word) { acquire(a.warp, lane, a.memory, word, a.order, wide, unread); });
    });
    return;
  }
  if (!fenced_ && !check::releases(a.order) && words(a.memory).empty()) return;
  for_lanes(a.lanes, [&](uint32_t lane) {
    const std::vector<WordRelease> what = releases(a.warp, lane, a.order, wide, a.memory);
    for_words(at[lane], a.bytes,
              [&](uint64_t word) { words(a.memory).store(word, block_, a.warp * kWarpSize + lane, what, wide); });
  });
}

void ThreadOrder::outcome(const observe::Outcome& o, const std::function<void(uint32_t lane)>& ran) {
  const Atomic& last = atomics_[o.warp];
  if (!ran && !fenced_ && !check::releases(last.order) && words(last.memory).empty()) return;
  for_lanes(o.lanes, [&](uint32_t lane) {
    for_words(last.at[lane], last.bytes,
              [&](uint64_t word) { acquire(o.warp, lane, last.memory, word, last.order, last.wide, last.unread); });
    if (ran) ran(lane);
    if ((o.wrote >> lane & 1) == 0) return;
    const std::vector<WordRelease> what = releases(o.warp, lane, last.order, last.wide, last.memory);
    for_words(last.at[lane], last.bytes, [&](uint64_t word) {
      words(last.memory).update(word, block_, o.warp * kWarpSize + lane, what, last.wide);
    });
  });
}

void ThreadOrder::fence(const observe::Fence& f) {
  const bool wide = is_wide(f.scope);
  fenced_ = true;
  for_lanes(f.lanes, [&](uint32_t lane) {
    Thread& t = thread(f.warp, lane);
    std::vector<const ReleasedWords::Seen*> seen;
    for (const auto& [word, earlier] : t.unfenced) seen.push_back(&earlier);
    learn(f.warp, lane, seen, wide);
    if (wide) t.unfenced.clear();
    (wide ? t.wide : t.narrow) = {clocks_.known(f.warp, lane), clocks_.now(f.warp), nullptr, 0};
  });
  clocks_.tick(f.warp);
}

void ThreadOrder::arrival(const observe::Arrival& a) {
  collect(barriers_[a.barrier % barriers_.size()], a.warp, a.lanes);
  if (!a.waits) clocks_.tick(a.warp);
}

void ThreadOrder::release(const observe::Release& r) {
  Moment& moment = barriers_[r.barrier % barriers_.size()];
  if (moment.empty()) return;
  const Known known = moment.known();
  bool whole = r.lanes.size() == clocks_.warps();
  for (uint32_t warp = 0; warp < r.lanes.size(); ++warp) {
    pass(warp, r.lanes[warp], known);
    whole = whole && (r.lanes[warp] | clocks_.absent(warp)) == ~LaneMask{0};
  }
  moment.clear();
  if (!whole) return;
  ++era_;
  floor_ = known->own;
  std::ranges::fill(touched_, 0);
}

void ThreadOrder::warp_release(const observe::WarpRelease& r) {
  if (r.exchange) return;
  Moment moment;
  collect(moment, r.warp, r.lanes);
  pass(r.warp, r.lanes, moment.known());
}

std::string ThreadOrder::mbarrier(const observe::Mbarrier& m) {
  using Use = observe::Mbarrier::Use;
  std::string wrong = phases_.use(m, clocks_);
  Object& object = objects_[m.address];
  if (m.use == Use::Init) object = {};
  if (m.use == Use::Arrive) {
    collect(object.arriving, m.warp, 1u << m.lane);
    clocks_.tick(m.warp);
  }
  if (m.ends_phase()) {
    object.completed = object.arriving.known();
    object.arriving.clear();
  }
  if (m.use == Use::Wait && m.passed && object.completed) learn(m.warp, m.lane, object.completed);
  return wrong;
}

void ThreadOrder::copies(const observe::CopyUse& c) {
  using Use = observe::CopyUse::Use;
  Copies& own = copies(c.warp);
  for_lanes(c.lanes, [&](uint32_t lane) {
    std::vector<Time>& groups = own.groups[lane];
    switch (c.use) {
      case Use::Commit:
        groups.push_back(own.now);
        break;
      case Use::WaitAll:
        groups.clear();
        own.waited[lane] = own.now;
        break;
      case Use::Wait:
        if (groups.size() <= c.pending) break;
        own.waited[lane] = groups[groups.size() - 1 - c.pending];
        groups.erase(groups.begin(), groups.end() - c.pending);
        break;
      case Use::Arrive:
        objects_[c.addresses[lane]].arriving.raise(clocks_.copies_of(c.warp), 1u << lane, own.now);
        break;
    }
  });
  if (c.use != Use::Wait) ++own.now;
}

void ThreadOrder::exit(const observe::Exit& e) { clocks_.end(e.warp, e.lanes & ~touched_[e.warp]); }

}  // namespace drywarp::check
