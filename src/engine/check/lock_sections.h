// Critical sections: what a lane does between a compare-and-swap, or an exchange, that takes a lock and the write that
// gives it back. In the order that a run shows, the first one to take a lock has nothing to acquire, and what the last
// one releases nobody learns, so that the fences which they lack are not missed. Accesses are remembered with their
// sections, and compared with those of later sections as if the lock had passed the other way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/events/counts.h"
#include "engine/check/access_records.h"
#include "engine/check/thread_clocks.h"

namespace drywarp::check {

// Of a launch, or of a block that is looked at alone: the sections that accesses are in.
class LockSections {
 public:
  // Whether a fence, or the taking itself, acquires before the accesses: for their block, or for all.
  enum class Fenced : uint8_t { No, Block, All };
  // How a lock was taken: by which swap, or for which value it was exchanged.
  struct Taken {
    const InstructionInfo* by = nullptr;
    std::optional<uint64_t> exchanged;
  };
  struct Section {
    uint64_t word = 0;
    Taken taken;
    Fenced fenced = Fenced::No;
    bool over = false;   // the lock has been given back
    bool told = false;   // a race by the lock
    uint32_t outer = 0;  // of the lock that its thread took before this one; 0: none
    uint32_t kept = 0;   // how often an access has stayed while it was not over
  };
  // Those of a thread by one lock are one, those that are fenced for all of all threads. 0: no room.
  uint32_t add(const Section& section, uint64_t thread);
  Section& operator[](uint32_t number) { return all_[number]; }
  void clear() { all_.resize(1), numbers_.clear(); }

 private:
  static constexpr size_t kMost = size_t{1} << 18;
  static constexpr uint64_t kOfAll = ~uint64_t{0};
  std::vector<Section> all_{1};
  // By word, taking, outer section, thread and fence.
  std::map<std::tuple<uint64_t, const InstructionInfo*, std::optional<uint64_t>, uint32_t, uint64_t, Fenced>, uint32_t>
      numbers_;
};

// Accesses of two sections of one lock that the lock orders as it passed. Whether the later one is released is known
// when the lock is given back.
struct Unreleased {
  AccessRecord earlier, now;
  LineBytes bytes;
  uint64_t line = 0;
  Memory memory = Memory::Global;
  uint32_t access_bytes = 0;  // a lane
  bool released = false;      // by a fence, or told already; what follows to the same bytes is not
};

// The locks that a block's lanes hold.
class HeldLocks {
 public:
  using Fenced = LockSections::Fenced;
  struct Lock {
    uint64_t word = 0;
    LockSections::Taken taken;
    Known before;  // what the lane knew before
    Fenced fenced = Fenced::No;
    // Its sections so far: other ones behind a fence, and where another lock is given back.
    struct Part {
      Fenced fenced;
      uint32_t outer, number;
    };
    std::vector<Part> parts;
    std::vector<Unreleased> unreleased;
  };
  void take(uint32_t thread, Lock lock);
  // What a lane knew before it began to try for a lock: of that alone it may have learned since. `now`: what it knows
  // before this try.
  Known before(uint32_t thread, uint64_t word, const Known& now);
  // It has tried in vain, and knows this.
  void tried(uint32_t thread, const Known& now) { tries_[thread].after = now; }
  // What it held there; nothing: the thread does not hold it.
  std::optional<Lock> give(uint32_t thread, uint64_t word, LockSections& sections);
  // Of a fence, which acquires and releases.
  void fence(uint32_t thread, uint32_t block, bool wide);
  // The lanes of a warp that hold something.
  [[nodiscard]] LaneMask holding(uint32_t warp) const { return warp < holding_.size() ? holding_[warp] : 0; }
  // The section of an access: the innermost; 0: none.
  uint32_t section(uint32_t thread, uint64_t block, LockSections& sections);
  // An access in a section: of what was released it may be another one that is not.
  void touch(uint32_t thread, const AccessRecord& now, uint64_t line, Memory memory, uint32_t access_bytes);
  // The lock of that section, taken in the same way; null: the lane does not hold it.
  [[nodiscard]] Lock* find(uint32_t thread, const LockSections::Section& section);

 private:
  // More at a time are swaps that take no locks.
  static constexpr size_t kMostHeld = 4;
  struct Try {
    uint64_t word = 0;
    Known before, after;
  };
  std::vector<std::vector<Lock>> held_;  // by thread
  std::vector<Try> tries_;               // likewise, the last one
  std::vector<LaneMask> holding_;        // by warp
};

// Whether a kernel may take locks: it has compare-and-swaps or exchanges, and strong writes that may give them back.
[[nodiscard]] bool may_lock(const std::vector<InstructionInfo>& instructions);

}  // namespace drywarp::check
