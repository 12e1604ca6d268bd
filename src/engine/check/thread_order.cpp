#include "engine/check/thread_order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/access/lanes.h"

namespace drywarp::check {
bool acquires(MemoryOrder o) { return o == MemoryOrder::Acquire || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }
bool releases(MemoryOrder o) { return o == MemoryOrder::Release || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }
bool is_atomic(const observe::Access& a) { return a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap; }
bool is_strong(const observe::Access& a) { return is_atomic(a) || a.order != MemoryOrder::Weak; }
bool is_wide(MemoryScope scope, bool clusters) {
  return scope != MemoryScope::Cta && (clusters || scope != MemoryScope::Cluster);
}

void ThreadOrder::begin(uint64_t block, uint32_t threads, ReleasedWords& global, ReleasedWords& shared, bool clusters) {
  const uint32_t warps = (threads + kWarpSize - 1) / kWarpSize, last = threads % kWarpSize;
  clocks_.begin(warps, last == 0 ? 0 : ~LaneMask{0} << last);
  block_ = block;
  global_ = &global, shared_ = &shared, clusters_ = clusters;
  threads_.resize(size_t{warps} * kWarpSize);
  atomics_.resize(warps);
  following_.resize(warps);
  touched_.resize(warps);
}

ThreadOrder::Copies& ThreadOrder::copies(uint32_t warp) {
  if (copies_.empty()) copies_.resize(clocks_.warps());
  if (!copies_[warp]) copies_[warp] = std::make_unique<Copies>();
  return *copies_[warp];
}

Time ThreadOrder::copy_time(uint32_t warp, LaneMask lanes) {
  Copies& own = copies(warp);
  for_lanes(lanes, [&](uint32_t lane) { own.issued[lane] = own.now; });
  return own.now;
}

void ThreadOrder::gather(HandedOrder& order, uint32_t warp, LaneMask lanes) const {
  if (!hands_) return;
  const auto* const done = waited(warp);
  for_lanes(lanes, [&](uint32_t lane) {
    const Thread& t = threads_[warp * kWarpSize + lane];
    if (t.handed) order.add(t.handed);
    if (t.fresh) order.add_fence(t.wide.known, warp, LaneMask{1} << lane, t.wide.time);
    if (t.fresh && done) order.add_fence(t.wide.known, clocks_.copies_of(warp), LaneMask{1} << lane, (*done)[lane]);
    if (!t.unfenced.empty()) order.add_reads(t.unfenced);
  });
}

void ThreadOrder::hand(uint32_t warp, LaneMask lanes, const Handed& what, bool took_part) {
  if (!what) return;
  for_lanes(lanes, [&](uint32_t lane) {
    Thread& t = thread(warp, lane);
    if (took_part) {
      t.handed = what, t.fresh = false;
      return;
    }
    HandedOrder both;
    both.add(t.handed);
    both.add(what);
    t.handed = both.result();
  });
}

void ThreadOrder::collect(Meeting& meeting, uint32_t warp, LaneMask lanes) const {
  Moment& moment = meeting.moment;
  clocks_.collect(moment, warp, lanes);
  gather(meeting.handed, warp, lanes);
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

void ThreadOrder::arrival(const observe::Arrival& a) {
  settle(a.warp, a.lanes, false);
  if (a.barrier >= barriers_.size()) return;  // of a cluster: see cluster_barrier()
  collect(barriers_[a.barrier % barriers_.size()], a.warp, a.lanes);
  if (!a.waits) clocks_.tick(a.warp);
}

void ThreadOrder::release(const observe::Release& r) {
  Meeting& meeting = barriers_[r.barrier % barriers_.size()];
  if (meeting.moment.empty()) return;
  const Known known = meeting.moment.known();
  const Handed handed = meeting.handed.result();
  bool whole = r.lanes.size() == clocks_.warps();
  for (uint32_t warp = 0; warp < r.lanes.size(); ++warp) {
    pass(warp, r.lanes[warp], known);
    hand(warp, r.lanes[warp], handed, true);
    whole = whole && (r.lanes[warp] | clocks_.absent(warp)) == ~LaneMask{0};
  }
  meeting = {};
  if (!whole) return;
  ++era_;
  floor_ = known->own;
  std::ranges::fill(touched_, 0);
}

void ThreadOrder::warp_release(const observe::WarpRelease& r) {
  if (r.exchange) return;
  settle(r.warp, r.lanes, false);
  Meeting meeting;
  collect(meeting, r.warp, r.lanes);
  pass(r.warp, r.lanes, meeting.moment.known());
  hand(r.warp, r.lanes, meeting.handed.result(), true);
}

std::string ThreadOrder::mbarrier(const observe::Mbarrier& m) {
  using Use = observe::Mbarrier::Use;
  settle(m.warp, LaneMask{1} << m.lane, false);
  // What other blocks of a cluster do at the object goes through a word, as its barrier does.
  const uint64_t word = kObjectWords + m.address;
  const bool gives = m.use == Use::Arrive;
  // st.async: as a copy of many bytes, it tells of what it has stored, and of nothing that its thread did before.
  if (m.releases) {
    uint64_t addresses[kWarpSize] = {};
    addresses[m.lane] = m.address;
    copies({m.warp, observe::CopyUse::Use::Arrive, 0, LaneMask{1} << m.lane, addresses, m.remote});
  }
  if (m.remote) {
    if (gives) release_at(m.warp, m.lane, word, MemoryOrder::Release, false);
    if (m.use == Use::Wait && m.passed) acquire(m.warp, m.lane, word, of_cluster(word));
    return {};
  }
  // So does what its own block does there: who completes a phase, of which block, tells nobody of the others' arrivals.
  if (m.in_cluster && gives) release_at(m.warp, m.lane, word, MemoryOrder::Release, false);
  if (m.in_cluster && m.use == Use::Wait && m.passed) acquire(m.warp, m.lane, word, of_cluster(word));
  const auto* const done = waited(m.warp);
  ObjectPhases::Judged judged;
  if (!m.in_cluster) judged = phases_.use(m, clocks_, done ? (*done)[m.lane] : 0);
  Object& object = objects_[m.address];
  if (m.use == Use::Init) object = {};
  if (gives) {
    collect(object.arriving, m.warp, 1u << m.lane);
    clocks_.tick(m.warp);
  }
  if (m.ends_phase()) {
    object.completed.push_back({object.arriving.moment.known(), object.arriving.handed.result()});
    if (object.completed.size() > ObjectPhases::kKept) object.completed.pop_front();
    object.arriving = {};
  }
  if (m.use == Use::Wait && m.passed && judged.learns && *judged.learns < object.completed.size()) {
    const Told& told = object.completed[object.completed.size() - 1 - *judged.learns];
    learn(m.warp, m.lane, told.known);
    hand(m.warp, LaneMask{1} << m.lane, told.handed, false);
  }
  return std::move(judged.wrong);
}

// What the barrier of a cluster orders: as if its threads released and acquired a word of global memory, which has no
// such address. All have acquired a phase's word before the phase after the next begins.
void ThreadOrder::cluster_barrier(const observe::ClusterBarrier& c) {
  const uint64_t word = kClusterWords + c.cluster * 2 + c.phase % 2;
  bool first = c.first;
  settle(c.warp, c.lanes, false);
  for_lanes(c.lanes, [&](uint32_t lane) {
    if (c.passes)
      acquire(c.warp, lane, word, of_cluster(word));
    else
      release_at(c.warp, lane, word, c.order, std::exchange(first, false));
  });
}

void ThreadOrder::copies(const observe::CopyUse& c) {
  using Use = observe::CopyUse::Use;
  settle(c.warp, c.lanes, false);
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
        if (clusters_) {  // as in mbarrier()
          words(Memory::Global)
              .update(kObjectWords + c.addresses[lane], block_, c.warp * kWarpSize + lane,
                      {{block_, c.warp * kWarpSize + lane, true, false, nothing_, 0, own.now, clocks_.warps()}});
          published_ = true;
        }
        if (c.remote) break;
        objects_[c.addresses[lane]].arriving.moment.raise(clocks_.copies_of(c.warp), 1u << lane, own.now);
        if (own.issued[lane] > own.waited[lane]) phases_.copies(c.addresses[lane], c.warp, 1u << lane, own.now);
        break;
    }
  });
  if (c.use != Use::Wait) ++own.now;
}

void ThreadOrder::exit(const observe::Exit& e) {
  settle(e.warp, e.lanes, false);
  clocks_.end(e.warp, e.lanes & ~touched_[e.warp]);
}

}  // namespace drywarp::check
