// Critical sections: what a lane does between a compare-and-swap, or an exchange, that takes a lock and the write that
// gives it back. In
// the order that a run shows, the first one to take a lock has nothing to acquire, so that a fence which it lacks is
// not missed. Its accesses are remembered with their section, and compared with those of later sections as if the lock
// had passed the other way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/events/counts.h"
#include "engine/check/thread_clocks.h"

namespace drywarp::check {

// Of a launch, or of a block that is looked at alone: sections in which accesses come before a fence.
class LockSections {
 public:
  // How a lock was taken: by which swap, or for which value it was exchanged.
  struct Taken {
    const InstructionInfo* by = nullptr;
    std::optional<uint64_t> exchanged;
  };
  struct Section {
    uint64_t word = 0;
    Taken taken;
    bool fenced = false;  // for its block, before the accesses
    bool over = false;    // the lock has been given back
  };
  // 0: no room.
  uint32_t add(const Section& section);
  Section& operator[](uint32_t number) { return all_[number]; }
  void clear() { all_.resize(1); }

 private:
  static constexpr size_t kMost = size_t{1} << 20;
  std::vector<Section> all_{1};
};

// The locks that a block's lanes hold.
class HeldLocks {
 public:
  enum class Fenced : uint8_t { No, Block, All };
  // `before`: what the lane knew before.
  void take(uint32_t thread, uint64_t word, const LockSections::Taken& taken, Known before, Fenced fenced);
  // False: the thread does not hold it.
  bool give(uint32_t thread, uint64_t word, LockSections& sections);
  void fence(uint32_t thread, bool wide);
  // The lanes of a warp that hold something, and those that have no fence for all blocks behind it.
  [[nodiscard]] LaneMask holding(uint32_t warp) const { return warp < holding_.size() ? holding_[warp] : 0; }
  [[nodiscard]] bool loose(uint32_t thread) const;
  // The section of an access that comes before such a fence; 0: none.
  uint32_t section(uint32_t thread, LockSections& sections);
  // What the lane knew before it took the lock of a section, in the same way; null: it does not hold it.
  [[nodiscard]] const Clock* before(uint32_t thread, const LockSections::Section& section) const;

 private:
  struct Lock {
    uint64_t word = 0;
    LockSections::Taken taken;
    Known before;
    Fenced fenced = Fenced::No;
    std::array<uint32_t, 2> numbers{};  // its sections: before any fence, and before one for all blocks
  };
  // More at a time are swaps that take no locks.
  static constexpr size_t kMostHeld = 4;
  std::vector<std::vector<Lock>> held_;  // by thread
  std::vector<LaneMask> holding_;        // by warp
};

// Whether a kernel may take locks: it has compare-and-swaps or exchanges, and strong writes that may give them back.
[[nodiscard]] bool may_lock(const std::vector<InstructionInfo>& instructions);

}  // namespace drywarp::check
