// racecheck of one block: what orders its threads, and each access compared with the earlier ones.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/access/lanes.h"
#include "engine/check/race_check.h"
#include "engine/check/race_findings.h"
#include "engine/check/thread_order.h"

namespace drywarp::check {
namespace {

using observe::Access;

// Of lanes that run an atomic together.
struct Part {
  bool failed = false;  // compare-and-swaps that wrote nothing
  uint32_t turn = 0;    // 0: its own
  LaneMask top = 0;     // the last lane of all; 0: of these
};

class BlockRaceCheck : public BlockCheck, private RaceListener {
 public:
  BlockRaceCheck(Check& check, LaunchRaces& launch_races, const std::vector<bool>& of_copies,
                 const std::vector<bool>& idle, bool locks, uint64_t block)
      : BlockCheck(check, block),
        all_(launch_races),
        of_copies_(of_copies),
        idle_(idle),
        locks_(locks),
        own_(all_.lend(block)) {
    ReleasedWords& words = all_.independent() ? own_->words : all_.words;
    if (all_.history() != 0) words.keep_history(all_.history()), own_->shared_words.keep_history(all_.history());
    order_.begin(block, launch().threads(), words, own_->shared_words, all_.in_clusters());
  }
  BlockRaceCheck(const BlockRaceCheck&) = delete;
  BlockRaceCheck& operator=(const BlockRaceCheck&) = delete;
  ~BlockRaceCheck() override {
    if (!meets_.empty()) all_.accesses.add(meets_);
    all_.ended(block(), order_.published(), std::move(own_));
  }

  // What a compiler has moved before its condition, the others did not read.
  void access(const Access& a) override {
    if (!a.early) look_in_cluster(a);
  }
  // Copies alone. The products of a group of warps end for all of them at once, which no event says: what they read is
  // not compared.
  void bulk(const observe::BulkAccess& b) override {
    const bool of_copies = b.access < of_copies_.size() && of_copies_[b.access];
    if (b.kind == AccessKind::Load && !of_copies) return;
    BlockCheck::bulk(b);
  }
  void used(const Access& a) override { look_in_cluster(a); }
  void outcome(const observe::Outcome& o) override {
    bool any = false;
    for (const std::unique_ptr<Kept>& kept : std::exchange(kept_, {})) {
      if (kept->access.access != o.access) continue;
      observe::Outcome part = o;
      part.lanes &= kept->access.lanes, part.wrote &= kept->access.lanes, part.replaced &= kept->access.lanes;
      ran(part, *kept);
      any = true;
    }
    if (!any) order_.outcome(o, {});
  }
  void fence(const observe::Fence& f) override {
    order_.fence(f);
    for_lanes(f.lanes & held_.holding(f.warp),
              [&](uint32_t lane) { held_.fence(f.warp * kWarpSize + lane, own_number(), wide(f.scope)); });
  }
  void followed(const observe::Followed& f) override { order_.followed(f); }
  void arrival(const observe::Arrival& a) override { order_.arrival(a); }
  void release(const observe::Release& r) override { order_.release(r); }
  void warp_release(const observe::WarpRelease& r) override { order_.warp_release(r); }
  void cluster_barrier(const observe::ClusterBarrier& c) override { order_.cluster_barrier(c); }
  void mbarrier(const observe::Mbarrier& m) override {
    const std::string wrong = order_.mbarrier(m);
    if (wrong.empty()) return;
    const InstructionInfo* at = launch().at_line(m.ptx_line, m.line);
    report(FindingKind::BarrierOrder, at, 1, [&](Finding& f) {
      if (!at) f.where.ptx_line = m.ptx_line;
      f.thread = thread(m.warp, m.lane);
      f.what = wrong;
    });
  }
  void copies(const observe::CopyUse& c) override { order_.copies(c); }
  void exit(const observe::Exit& e) override { order_.exit(e); }
  // The allocator orders what one owner of memory does before what the next one does.
  void heap(const observe::HeapUse& h) override {
    if (h.bytes != 0) records(Memory::Global).forget(h.address, h.bytes);
  }

 private:
  // An atomic that acquires, that may write nothing, or that may take a lock, until it has run.
  struct Kept {
    Access access;
    LaneMask gave = 0;  // lanes that gave a lock back by it
    std::array<uint64_t, kWarpSize> places, addresses;
  };
  [[nodiscard]] bool wide(MemoryScope scope) const { return is_wide(scope, all_.in_clusters()); }
  // The blocks of a cluster have one memory, in which the places of each lie behind those of the one before.
  static constexpr uint64_t kSharedStride = (uint64_t{1} << 32) + (uint64_t{1} << 15);
  void look_in_cluster(const Access& a) {
    if (a.memory != Memory::Shared || !all_.in_clusters()) return look_at(a);
    Access there = a;
    uint64_t places[kWarpSize] = {};
    for_lanes(a.lanes, [&](uint32_t lane) {
      places[lane] = (a.remote ? a.owners[lane] : block()) * kSharedStride + a.places[lane];
    });
    there.places = places;
    look_at(there);
  }
  void look_at(const Access& a) {
    if (a.memory == Memory::Local || a.lanes == 0) return;
    order_.begin_access(a);
    // What a store releases includes the store; what a load acquires is before it.
    const bool store = a.kind != AccessKind::Load && !is_atomic(a);
    if (!store) order_.access(a, {is_unread(a), is_idle(a)});
    if (a.memory == Memory::Global && a.kind == AccessKind::Load && all_.unwritten(a.access)) return;
    const bool keeps = is_atomic(a) && (acquires(a.order) || swaps(a) || may_take(a));
    if (keeps)
      keep(a);
    else
      compare_by_section(a);
    if (locks_ && is_strong(a) && a.kind != AccessKind::Load && !swaps(a)) {
      const LaneMask gave = give_locks(a);
      if (keeps) kept_.back()->gave = gave;
    }
    if (store) order_.access(a);
    if (all_.may_meet(a.access) && a.memory == Memory::Global)
      add_words(meets_, a, launch().at_access(a.access), block(), is_strong(a) && wide(a.scope));
  }

  // A kept atomic has run.
  void ran(const observe::Outcome& o, Kept& kept) {
    Access& a = kept.access;
    const bool takes = locks_ && !is_unread(a);
    const LaneMask takers = !takes ? 0 : swaps(a) ? o.wrote : o.replaced & ~kept.gave;
    const LaneMask tries = !takes || !(swaps(a) || may_take(a)) ? 0 : o.lanes & ~kept.gave;
    std::vector<Known> before;  // by lane that takes
    for_lanes(tries, [&](uint32_t lane) {
      Known known = held_.before(a.warp * kWarpSize + lane, lock_word(a, lane), order_.clocks().known(a.warp, lane));
      if ((takers >> lane & 1) != 0) before.push_back(std::move(known));
    });
    run(o, a);
    for_lanes(tries & ~takers,
              [&](uint32_t lane) { held_.tried(a.warp * kWarpSize + lane, order_.clocks().known(a.warp, lane)); });
    if (takers == 0) return;
    const auto fenced = !acquires(a.order) ? HeldLocks::Fenced::No
                        : wide(a.scope)    ? HeldLocks::Fenced::All
                                           : HeldLocks::Fenced::Block;
    auto known = before.begin();
    for_lanes(takers, [&](uint32_t lane) {
      HeldLocks::Lock lock{lock_word(a, lane), {launch().at_access(a.access), {}}, std::move(*known++), fenced, {}, {}};
      if (!swaps(a)) std::memcpy(&lock.taken.exchanged.emplace(0), o.values + size_t{lane} * a.bytes, a.bytes);
      held_.take(a.warp * kWarpSize + lane, std::move(lock));
    });
  }
  // Runs a kept atomic.
  void run(const observe::Outcome& o, Access& a) {
    if (!acquires(a.order)) {
      const uint32_t turn = records(a.memory).next_turn();  // of both parts
      for (const bool failed : {false, true}) {
        a.lanes = o.lanes & (failed ? ~o.wrote : o.wrote);
        if (a.lanes != 0) compare(a, {failed, turn, std::bit_floor(o.lanes)});
      }
      return order_.outcome(o, {});
    }
    order_.outcome(o, [&](uint32_t lane) {
      a.lanes = 1u << lane;
      compare(a, {(o.wrote & a.lanes) == 0});
    });
  }
  void keep(const Access& a) {
    // Lanes of one instruction may be told of in parts.
    if (!kept_.empty() && (kept_.back()->access.access != a.access || (kept_.back()->access.lanes & a.lanes) != 0))
      kept_.clear();
    Kept& kept = *kept_.emplace_back(std::make_unique<Kept>());
    kept.access = a;
    std::copy_n(a.places, kWarpSize, kept.places.begin());
    std::copy_n(a.addresses, kWarpSize, kept.addresses.begin());
    kept.access.places = kept.places.data(), kept.access.addresses = kept.addresses.data();
  }

  [[nodiscard]] RaceRecords& records(Memory memory) {
    if (memory == Memory::Shared) return own_->shared;
    return all_.independent() ? own_->global : all_.records;
  }

  [[nodiscard]] bool swaps(const Access& a) const {
    const InstructionInfo* at = a.kind == AccessKind::Swap ? launch().at_access(a.access) : nullptr;
    return at && at->compare_swap;
  }

  // Nobody looks at what it reads.
  [[nodiscard]] bool is_unread(const Access& a) const {
    const InstructionInfo* at = launch().at_access(a.access);
    return at && at->unread;
  }

  [[nodiscard]] bool is_idle(const Access& a) const { return a.access < idle_.size() && idle_[a.access]; }

  // An exchange that takes a lock where it finds another value.
  [[nodiscard]] bool may_take(const Access& a) const { return locks_ && a.replaces && a.bytes <= sizeof(uint64_t); }

  // The words of shared memory are the block's own.
  [[nodiscard]] uint64_t lock_word(const Access& a, uint32_t lane) const {
    return a.memory == Memory::Shared ? (block() + 1) << 48 | a.places[lane] / kWordBytes
                                      : a.addresses[lane] / kWordBytes;
  }
  [[nodiscard]] LockSections& sections() { return all_.independent() ? own_->locks : all_.locks; }
  [[nodiscard]] uint32_t own_number() const { return static_cast<uint32_t>(block()); }
  // The lanes that have held one there.
  LaneMask give_locks(const Access& a) {
    LaneMask gave = 0;
    for_lanes(a.lanes & held_.holding(a.warp), [&](uint32_t lane) {
      const auto lock = held_.give(a.warp * kWarpSize + lane, lock_word(a, lane), sections());
      if (!lock) return;
      gave |= LaneMask{1} << lane;
      for (const Unreleased& u : lock->unreleased) {
        if (u.released) continue;
        if (releases(a.order) && (wide(a.scope) || u.earlier.block == own_number())) continue;
        memory_ = u.memory, bytes_ = u.access_bytes;
        by_lock_ = LockRace::NotReleased;
        race(u.earlier, u.now, u.bytes, u.line, false);
        by_lock_ = LockRace::None;
      }
    });
    return gave;
  }
  // Lanes in a section one by one.
  void compare_by_section(const Access& a) {
    const LaneMask holding = a.lanes & held_.holding(a.warp);
    if (holding == 0 || is_strong(a)) return compare(a);
    Access part = a;
    for_lanes(holding, [&](uint32_t lane) {
      part.lanes = LaneMask{1} << lane;
      section_ = held_.section(a.warp * kWarpSize + lane, block(), sections());
      compare(part);
      section_ = 0;
    });
    part.lanes = a.lanes & ~holding;
    if (part.lanes != 0) compare(part);
  }

  std::span<const PassedLock> passed_locks(const AccessRecord& earlier, uint32_t lane) override {
    passed_.clear(), passed_as_.clear();
    if ((held_.holding(warp_) >> lane & 1) == 0) return passed_;
    for (uint32_t number = earlier.section; number != 0;) {
      const LockSections::Section& section = sections()[number];
      HeldLocks::Lock* const lock = section.over ? held_.find(warp_ * kWarpSize + lane, section) : nullptr;
      const bool fenced = section.fenced == HeldLocks::Fenced::All ||
                          (section.fenced == HeldLocks::Fenced::Block && earlier.block == own_number());
      if (lock) passed_.push_back({lock->before.get(), fenced}), passed_as_.push_back({lock, number});
      number = section.outer;
    }
    return passed_;
  }
  bool stays(const AccessRecord& earlier, const AccessRecord& now) override {
    const bool of_warp = earlier.block == now.block && (earlier.warps & now.warps) != 0;
    for (uint32_t number = earlier.section; number != 0;) {
      LockSections::Section& section = sections()[number];
      if (section.fenced != HeldLocks::Fenced::All && !section.told) {
        // Swaps that take no locks have sections without an end: what others do in those keeps nothing for long.
        if (section.over || of_warp || section.kept++ < kMostKept) return true;
      }
      number = section.outer;
    }
    return false;
  }
  void race_of_lock(const AccessRecord& earlier, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
                    const PassedLock& lock) override {
    const Passed& passed = passed_as_[static_cast<size_t>(&lock - passed_.data())];
    std::vector<Unreleased>& kept = passed.held->unreleased;
    const auto known = [&](const Unreleased& u) {
      return u.earlier.at == earlier.at && u.now.at == now.at && u.earlier.block == earlier.block && !u.released;
    };
    if (kept.size() < kMostUnreleased && std::ranges::none_of(kept, known))
      kept.push_back({earlier, now, bytes, line, memory_, bytes_, !lock.fenced});
    if (lock.fenced) return;
    sections()[passed.section].told = true;
    by_lock_ = LockRace::NotAcquired;
    race(earlier, now, bytes, line, false);
    by_lock_ = LockRace::None;
  }

  void compare(const Access& a, const Part& part = {}) {
    const bool shared = a.memory == Memory::Shared;
    const bool copies = a.kind == AccessKind::Copy || a.kind == AccessKind::CopyPastL1 ||
                        (a.access < of_copies_.size() && of_copies_[a.access]);
    const uint64_t* const at = shared ? a.places : a.addresses;
    AccessRecord now;
    now.at = launch().at_access(a.access);
    now.block = static_cast<uint32_t>(block());
    now.warps = 1u << a.warp;
    now.copies = copies;
    now.time = copies ? order_.copy_time(a.warp, a.lanes) : order_.clocks().now(a.warp);
    now.use = {.writes = a.kind != AccessKind::Load,
               .strong = is_strong(a),
               .is_volatile = a.order == MemoryOrder::Volatile,
               .in_step = shared && a.order == MemoryOrder::Volatile,
               .wide = is_strong(a) && wide(a.scope),
               .of_cluster = all_.in_clusters() && is_strong(a) && a.scope == MemoryScope::Cluster,
               .atomic = is_atomic(a),
               .swaps = swaps(a),
               .failed = part.failed,
               .unread = now.at && now.at->unread};
    now.section = section_;
    now.cluster = static_cast<uint32_t>(all_.in_clusters() ? all_.cluster_of(block()) : 0);
    memory_ = a.memory, bytes_ = a.bytes, warp_ = a.warp;
    RaceRecords& all = records(a.memory);
    if (now.use.strong)
      now.last = {part.turn != 0 ? part.turn : all.next_turn(), a.warp, 0,
                  part.top != 0 ? part.top : std::bit_floor(a.lanes)};
    const bool of_block = all_.independent() || (shared && !all_.in_clusters());
    order_.clocks().for_knowing(a.warp, a.lanes, [&](const Known& known, LaneMask lanes) {
      const RaceRecords::Accessor by{*known,       a,
                                     at,           order_.waited(a.warp),
                                     a.warp,       order_.clocks().warps(),
                                     order_.era(), of_block ? &order_.floor() : nullptr,
                                     *this};
      const uint64_t origin = at[std::countr_zero(lanes)] / kLineBytes;
      LaneRuns& runs = shared ? own_->shared_runs : own_->global_runs;
      for (const LineRun& one : runs.of(a.access, at, lanes, a.bytes)) {
        now.run = one.run;
        if (section_ != 0)
          held_.touch(a.warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(a.lanes)), now,
                      origin + static_cast<uint64_t>(one.line), a.memory, a.bytes);
        all.access(origin + static_cast<uint64_t>(one.line), now, by);
      }
    });
  }

  [[nodiscard]] ThreadPlace thread_of(const AccessRecord& r, LaneMask lanes) const {
    return launch().thread(r.block, static_cast<uint32_t>(std::countr_zero(r.warps)),
                           static_cast<uint32_t>(std::countr_zero(lanes)));
  }

  void race(const AccessRecord& earlier, const AccessRecord& now, const LineBytes& bytes, uint64_t line,
            bool same_value) override {
    const RacePair pair = pair_of(earlier, now, same_value);
    const AccessRecord &a = pair.first, &b = pair.second;
    const char* const other = b.use.writes ? name_of_access(b.at, pair.other) : pair.other;
    LaneMask lanes = 0;
    for_bytes(bytes, [&](uint32_t byte) { lanes |= now.run.at(byte); });
    report(
        pair.kind, a.at, static_cast<uint64_t>(std::popcount(lanes)),
        [&](Finding& f) {
          const uint32_t byte = bytes.first();
          LaneMask by_a = a.run.at(byte), by_b = b.run.at(byte);
          if (pair.of_warp) keep_apart(by_a, by_b);
          f.thread = thread_of(a, by_a);
          f.bytes = bytes_;
          const uint64_t place = line * kLineBytes + byte;
          if (memory_ == Memory::Shared && all_.in_clusters())
            describe_race(f, launch(), memory_, place % kSharedStride, a.at, b.at, other, by_lock_,
                          place / kSharedStride);
          else
            describe_race(f, launch(), memory_, place, a.at, b.at, other, by_lock_);
          f.other = OtherAccess{other, code_of(launch(), b.at), thread_of(b, by_b)};
        },
        b.at);
  }

  LaunchRaces& all_;
  const std::vector<bool>& of_copies_;
  const std::vector<bool>& idle_;
  const bool locks_;
  std::shared_ptr<BlockRecords> own_;
  HeldLocks held_;
  ThreadOrder order_;
  std::vector<GlobalAccesses::Word> meets_;
  std::vector<std::unique_ptr<Kept>> kept_;  // of one instruction
  Memory memory_ = Memory::Global;           // of the access that is compared
  uint32_t bytes_ = 0, warp_ = 0;            // likewise, a lane
  uint32_t section_ = 0;                     // likewise
  LockRace by_lock_ = LockRace::None;
  // Of the last passed_locks(), and of each the lock that the lane holds, and the earlier access's section.
  struct Passed {
    HeldLocks::Lock* held;
    uint32_t section;
  };
  static constexpr size_t kMostUnreleased = 64;
  static constexpr uint32_t kMostKept = 64;
  std::vector<PassedLock> passed_;
  std::vector<Passed> passed_as_;
};

}  // namespace

std::unique_ptr<observe::BlockObserver> RaceCheck::begin(uint64_t block) {
  return std::make_unique<BlockRaceCheck>(*this, races_, of_copies_, idle_, locks_, block);
}

}  // namespace drywarp::check
