// Watches a launch while it runs. Counters are not observers: generated code has them inlined.
//
// An observer names the events that it wants and the blocks that it watches. The engine runs those blocks in code that
// reports the events; all other blocks run plain code, which costs what it costs without observers. Blocks run in
// parallel: an Observer is thread-safe, and a BlockObserver is told by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "base/access/access_pattern.h"
#include "base/events/counts.h"
#include "base/events/run_events.h"

namespace drywarp::observe {

// Warps count from 0 in their block. Of events of one warp, the earlier one is told first.

// Lanes begin a basic block of the code.
struct Step {
  uint32_t warp = 0;
  uint32_t code_block = 0;  // as in LaunchCounts::blocks
  LaneMask lanes = 0;
};

// Lanes access one memory, before the access itself: addresses need not be valid.
struct Access {
  uint32_t warp = 0;
  uint32_t access = 0;  // in LaunchCounts::accesses; as InstructionInfo::access
  Memory memory = Memory::Global;
  bool generic = false;  // the instruction names no state space
  AccessKind kind = AccessKind::Load;
  uint32_t bytes = 0;  // a lane
  LaneMask lanes = 0;
  // Of each lane in `lanes`. Global: from the start of the device's memory; shared: of the block's; local: of the
  // thread's own. The same in every run.
  const uint64_t* places = nullptr;
  const uint64_t* addresses = nullptr;  // as the program sees them
};

// Lanes arrive at a barrier of their block.
struct Arrival {
  uint32_t warp = 0;
  uint32_t barrier = 0;
  uint32_t threads = 0;  // that it waits for; 0: the whole block
  LaneMask lanes = 0;
};

// Of one block.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  virtual void step(const Step&) {}
  virtual void access(const Access&) {}
  virtual void arrival(const Arrival&) {}
  [[nodiscard]] bool has_left() const { return left_; }

 protected:
  void leave() { left_ = true; }  // it is told nothing more

 private:
  bool left_ = false;
};

// Blocks [first, end) of a grid.
struct BlockRange {
  uint64_t first = ~uint64_t{0}, end = ~uint64_t{0};
};

// Of one launch.
class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual RunEvents events() const = 0;
  // The first blocks at or behind `block` that it watches; an empty range: there are none. Asked again whenever a block
  // is about to begin, so the answer may become smaller while the launch runs.
  [[nodiscard]] virtual BlockRange next(uint64_t block) const = 0;
  // A block that some observer watches begins. Blocks begin in ascending order and end in any order. Null: not watched
  // by this one.
  virtual std::unique_ptr<BlockObserver> begin(uint64_t block) = 0;
  // The block has ended. Blocks that a fault has stopped do not end.
  virtual void end(std::unique_ptr<BlockObserver> block) = 0;
};

}  // namespace drywarp::observe
