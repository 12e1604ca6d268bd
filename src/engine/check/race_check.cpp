#include "engine/check/race_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "base/support/plural.h"
#include "engine/check/access_records.h"
#include "engine/check/thread_clocks.h"

namespace drywarp::check {
namespace {

using observe::Access;

bool is_atomic(const Access& a) {
  return a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap ||
         (a.order != MemoryOrder::Weak && a.order != MemoryOrder::Volatile);
}
bool acquires(MemoryOrder o) { return o == MemoryOrder::Acquire || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }
bool releases(MemoryOrder o) { return o == MemoryOrder::Release || o == MemoryOrder::AcqRel || o == MemoryOrder::Sc; }

// The lane's byte `at` of what a store writes.
uint8_t stored_byte(const Access& a, uint32_t lane, uint32_t at) {
  const uint32_t size = a.element_bytes, element = at / size;
  return a.values[(size_t{element} * kWarpSize + lane) * size + at % size];
}

CodeLine code_of(const CheckedLaunch& launch, const InstructionInfo* at) {
  return at ? code_line(launch.kernel(), *at) : CodeLine();
}

// Where the race is: `place` is an offset in shared memory, or an address.
void describe_race(Finding& f, const CheckedLaunch& launch, Memory memory, uint64_t place, const char* other) {
  std::string where = fmt::format("shared memory at offset {:#x}", place);
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
  f.what = fmt::format("write of {}, which nothing orders with the other {}", where, other);
}

class BlockRaceCheck : public BlockCheck {
 public:
  BlockRaceCheck(Check& check, GlobalAccesses& accesses, uint64_t block)
      : BlockCheck(check, block),
        accesses_(accesses),
        clocks_(launch().warps()),
        pending_(size_t{launch().warps()} * kWarpSize),
        fenced_(pending_.size()),
        atomics_(launch().warps()) {}
  ~BlockRaceCheck() override { tell_launch(); }

  void access(const Access& a) override {
    const bool atomic = a.kind == AccessKind::Atomic || a.kind == AccessKind::Swap;
    if (atomic) {  // its outcome says what it orders
      Atomic& last = atomics_[a.warp];
      last = {a.memory, a.order, {}};
      std::copy_n(a.places, kWarpSize, last.places.begin());
    } else if (a.order != MemoryOrder::Weak && a.memory != Memory::Local) {
      for_lanes(a.lanes, [&](uint32_t lane) {
        if (a.kind == AccessKind::Load)
          acquire(a.warp, lane, key(a.memory, a.places[lane]), a.order);
        else
          release(a.warp, lane, key(a.memory, a.places[lane]), a.order);
      });
    }
    if (a.memory != Memory::Local) touch(a);
    if (a.scope > MemoryScope::Cta && (acquires(a.order) || releases(a.order))) accesses_.order_blocks();
  }

  void outcome(const observe::Outcome& o) override {
    const Atomic& last = atomics_[o.warp];
    for_lanes(o.lanes, [&](uint32_t lane) {
      const Key at = key(last.memory, last.places[lane]);
      acquire(o.warp, lane, at, last.order);
      if (o.wrote >> lane & 1) release(o.warp, lane, at, last.order);
    });
  }

  void heap(const observe::HeapUse& h) override {
    if (h.bytes != 0) heap_[h.address] = h.address + h.bytes;
  }
  void fence(const observe::Fence& f) override {
    if (f.scope > MemoryScope::Cta) accesses_.order_blocks();
    for_lanes(f.lanes, [&](uint32_t lane) {
      const uint32_t thread = f.warp * kWarpSize + lane;
      if (!pending_[thread].empty()) clocks_.learn_more(thread, pending_[thread]);
      pending_[thread].clear();
      fenced_[thread].clear();
      clocks_.collect(fenced_[thread], f.warp, 1u << lane);
    });
    clocks_.tick(f.warp, f.lanes);
  }

  void arrival(const observe::Arrival& a) override {
    clocks_.collect(barriers_[a.barrier], a.warp, a.lanes);
    if (!a.waits) clocks_.tick(a.warp, a.lanes);
  }
  void release(const observe::Release& r) override {
    ThreadClocks::Moment& moment = barriers_[r.barrier];
    if (moment.empty()) return;
    const ThreadClocks::Known known = moment.known();
    for (uint32_t warp = 0; warp < r.lanes.size(); ++warp) pass(warp, r.lanes[warp], known);
    moment.clear();
  }
  void warp_release(const observe::WarpRelease& r) override {
    if (r.exchange) return;
    ThreadClocks::Moment moment;
    clocks_.collect(moment, r.warp, r.lanes);
    pass(r.warp, r.lanes, moment.known());
  }
  void mbarrier(const observe::Mbarrier& m) override {
    using Use = observe::Mbarrier::Use;
    ThreadClocks::Moment& moment = objects_[m.address];
    if (m.use == Use::Arrive) {
      clocks_.collect(moment, m.warp, 1u << m.lane);
      clocks_.tick(m.warp, 1u << m.lane);
    } else if (m.use == Use::Wait && m.passed && !moment.empty()) {
      clocks_.learn_more(m.warp * kWarpSize + m.lane, moment);
    }
  }

 private:
  using Key = std::pair<Memory, uint64_t>;  // a word
  struct Atomic {
    Memory memory = Memory::Global;
    MemoryOrder order = MemoryOrder::Weak;
    std::array<uint64_t, kWarpSize> places{};
  };

  static Key key(Memory memory, uint64_t place) { return {memory, place / kWordBytes}; }
  template <class Visit>
  static void for_lanes(LaneMask lanes, Visit visit) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) visit(static_cast<uint32_t>(std::countr_zero(left)));
  }

  void pass(uint32_t warp, LaneMask lanes, const ThreadClocks::Known& known) {
    clocks_.learn(warp, lanes, known);
    clocks_.tick(warp, lanes);
  }

  // A lane reads what others may have released there: what it does behind its next fence, or at once.
  void acquire(uint32_t warp, uint32_t lane, const Key& at, MemoryOrder order) {
    if (released_.empty()) return;
    const auto found = released_.find(at);
    if (found == released_.end()) return;
    const uint32_t thread = warp * kWarpSize + lane;
    if (acquires(order))
      clocks_.learn_more(thread, found->second);
    else
      pending_[thread].join(found->second);
  }
  // A lane writes there: what it did before its last fence, or before now.
  void release(uint32_t warp, uint32_t lane, const Key& at, MemoryOrder order) {
    const uint32_t thread = warp * kWarpSize + lane;
    if (releases(order)) {
      clocks_.collect(released_[at], warp, 1u << lane);
      clocks_.tick(warp, 1u << lane);
    } else if (!fenced_[thread].empty()) {
      released_[at].join(fenced_[thread]);
    }
  }

  void touch(const Access& a) {
    const InstructionInfo* at = launch().at_access(a.access);
    const bool write = a.kind != AccessKind::Load, shared = a.memory == Memory::Shared;
    WordTable& table = words_[static_cast<size_t>(a.memory)];
    AccessRecord r;
    r.at = at, r.warp = static_cast<uint16_t>(a.warp);
    r.atomic = is_atomic(a), r.swaps = a.kind == AccessKind::Swap, r.is_volatile = a.order == MemoryOrder::Volatile;
    r.has_value = write && a.values != nullptr;
    for_lanes(a.lanes, [&](uint32_t lane) {
      const uint64_t begin = shared ? a.places[lane] : a.addresses[lane], end = begin + a.bytes;
      if (!shared && in_heap(begin)) return;
      r.lanes = 1u << lane;
      r.time = clocks_.now(a.warp * kWarpSize + lane);
      for (uint64_t word = begin / kWordBytes; word * kWordBytes < end; ++word) {
        r.bytes = 0, r.value = 0;
        const uint64_t first = word * kWordBytes;
        for (uint64_t place = std::max(first, begin); place < std::min(first + kWordBytes, end); ++place) {
          r.bytes |= static_cast<uint8_t>(1u << (place - first));
          if (r.has_value)
            r.value |= uint32_t{stored_byte(a, lane, static_cast<uint32_t>(place - begin))} << 8 * (place - first);
        }
        const Place place{a.memory, word, a.bytes};
        WordRecords& records = table[word];
        write ? write_word(records, place, r) : read_word(records, place, r);
      }
    });
  }

  // Memory that a kernel allocates has another owner whenever it is freed: not looked at.
  [[nodiscard]] bool in_heap(uint64_t address) const {
    if (heap_.empty()) return false;
    const auto next = heap_.upper_bound(address);
    return next != heap_.begin() && address < std::prev(next)->second;
  }

  [[nodiscard]] static uint32_t thread_number(const AccessRecord& r) {
    return r.warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(r.lanes));
  }
  [[nodiscard]] bool before(const AccessRecord& earlier, const AccessRecord& now) const {
    return clocks_.ordered(thread_number(now), earlier.warp, earlier.lanes, earlier.time);
  }
  [[nodiscard]] bool races(const AccessRecord& earlier, const AccessRecord& now) const {
    if ((earlier.bytes & now.bytes) == 0) return false;
    // Code that takes the lanes of a warp to be in step is often volatile.
    const bool in_step = earlier.is_volatile && now.is_volatile && earlier.warp == now.warp;
    if (earlier.strong() && now.strong() && !in_step) return false;
    return !before(earlier, now);
  }
  // Whether whatever races with the earlier access races with the later one, too.
  [[nodiscard]] bool covers(const AccessRecord& now, const AccessRecord& earlier) const {
    if ((earlier.bytes & ~now.bytes) != 0) return false;
    return !now.strong() || (earlier.strong() && before(earlier, now));
  }

  // A word that is accessed, and how many bytes the access has.
  struct Place {
    Memory memory;
    uint64_t word;
    uint32_t bytes;
  };

  void write_word(WordRecords& word, const Place& place, const AccessRecord& now) {
    if (AccessRecord* like = records_.find(word.writes, now); like && (like->lanes & now.lanes) != 0) return;
    records_.filter(word.writes, [&](AccessRecord& r) {
      if (races(r, now)) write_write(place, r, now);
      return !covers(now, r) || r.joins(now);
    });
    records_.filter(word.reads, [&](AccessRecord& r) {
      if (races(r, now)) read_write(place, now, r);
      return !covers(now, r);
    });
    keep(word.writes, now);
  }

  void read_word(WordRecords& word, const Place& place, const AccessRecord& now) {
    AccessRecord* like = records_.find(word.reads, now);
    if (like && (like->lanes & now.lanes) != 0) return;
    records_.filter(word.writes, [&](AccessRecord& r) {
      if (races(r, now)) read_write(place, r, now);
      return true;
    });
    if (like) {
      like->lanes |= now.lanes;
      return;
    }
    // What happens before this read, happens before whatever this read happens before.
    records_.filter(word.reads, [&](AccessRecord& r) { return !covers(now, r) || !before(r, now); });
    keep(word.reads, now);
  }

  void keep(uint32_t& list, const AccessRecord& now) {
    if (AccessRecord* like = records_.find(list, now))
      like->lanes |= now.lanes;
    else
      list = records_.push(list, now);
  }

  [[nodiscard]] ThreadPlace thread_of(const AccessRecord& r) const {
    return thread(r.warp, static_cast<uint32_t>(std::countr_zero(r.lanes)));
  }

  void found(FindingKind kind, const Place& place, const AccessRecord& first, const AccessRecord& second,
             const char* other) {
    report(
        kind, first.at, 1,
        [&](Finding& f) {
          f.thread = thread_of(first);
          f.bytes = place.bytes;
          const auto byte = static_cast<uint32_t>(std::countr_zero(uint32_t(first.bytes & second.bytes)));
          describe_race(f, launch(), place.memory, place.word * kWordBytes + byte, other);
          f.other = OtherAccess{other, code_of(launch(), second.at), thread_of(second)};
        },
        second.at);
  }

  void write_write(const Place& place, const AccessRecord& a, const AccessRecord& b) {
    uint32_t both = 0;
    for (uint32_t byte = 0; byte < kWordBytes; ++byte)
      if (a.bytes & b.bytes & 1u << byte) both |= 0xffu << 8 * byte;
    const bool same = a.has_value && b.has_value && ((a.value ^ b.value) & both) == 0;
    const FindingKind kind = same                               ? FindingKind::SameValue
                             : a.warp == b.warp && a.at != b.at ? FindingKind::WarpLevel
                                                                : FindingKind::WriteWrite;
    // The pair in one order, whichever ran first.
    a.at <= b.at ? found(kind, place, a, b, "write") : found(kind, place, b, a, "write");
  }
  void read_write(const Place& place, const AccessRecord& write, const AccessRecord& read) {
    const FindingKind kind = write.swaps               ? FindingKind::BesideSwap
                             : write.warp == read.warp ? FindingKind::WarpLevel
                                                       : FindingKind::ReadWrite;
    found(kind, place, write, read, "read");
  }

  // What the block has accessed in global memory. Of accesses that a later one covers, that one is enough.
  void tell_launch() {
    using Use = GlobalAccesses::Use;
    std::vector<GlobalAccesses::Word> all;
    words_[static_cast<size_t>(Memory::Global)].for_each([&](uint64_t number, const WordRecords& word) {
      const auto add = [&](const AccessRecord& r, bool writes) {
        GlobalAccesses::Entry entry;
        entry.at = r.at, entry.writes = writes, entry.swaps = r.swaps, entry.bytes = r.bytes;
        entry.use = r.strong() ? Use::Strong : writes ? Use::Write : Use::Read;
        entry.one_value = r.has_value, entry.value = r.value;
        entry.by[0] = {block(), thread_number(r)};
        all.push_back({number, entry});
      };
      records_.for_each(word.reads, [&](const AccessRecord& r) { add(r, false); });
      records_.for_each(word.writes, [&](const AccessRecord& r) { add(r, true); });
    });
    accesses_.add(all);
  }

  GlobalAccesses& accesses_;
  ThreadClocks clocks_;
  ThreadClocks::Moment barriers_[16];
  std::map<uint64_t, ThreadClocks::Moment> objects_;    // barrier objects, by address
  std::map<Key, ThreadClocks::Moment> released_;        // by the word that atomics have written
  std::vector<ThreadClocks::Moment> pending_, fenced_;  // by thread: read since, known at its last fence
  std::vector<Atomic> atomics_;                         // the last one of each warp
  std::map<uint64_t, uint64_t> heap_;                   // what lanes have allocated: from, to
  RecordLists records_;
  std::array<WordTable, kMemories> words_;
};

}  // namespace

std::unique_ptr<observe::BlockObserver> RaceCheck::begin(uint64_t block) {
  return std::make_unique<BlockRaceCheck>(*this, accesses_, block);
}

std::vector<Finding> RaceCheck::between_blocks(uint64_t end) const {
  using Use = GlobalAccesses::Use;
  std::vector<Finding> all;
  for (const GlobalAccesses::Race& race : accesses_.races(end)) {
    const bool reads = !race.second->writes;
    const char* other = reads ? "read" : race.second->use == Use::Write ? "write" : "atomic";
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
    describe_race(f, launch(), Memory::Global, race.word * kWordBytes + byte, other);
    f.other = OtherAccess{other, code_of(launch(), race.second->at), thread(race.by_second)};
    all.push_back(std::move(f));
  }
  if (accesses_.gave_up()) {
    Finding f;
    f.kind = FindingKind::Incomplete;
    f.kernel = launch().kernel().display_name;
    f.what = "the launch accesses more global memory than is compared between blocks";
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace drywarp::check
