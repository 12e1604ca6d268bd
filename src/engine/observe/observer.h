// Watches a launch while it runs. Counters are not observers: generated code has them inlined.
//
// An observer names the events that it wants and the blocks that it watches. The engine runs those blocks in code that
// reports the events; all other blocks run plain code, which costs what it costs without observers. Blocks run in
// parallel: an Observer is thread-safe, and a BlockObserver is told by one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/events/run_events.h"
#include "engine/observe/access_events.h"
#include "engine/observe/denial.h"
#include "engine/observe/order_events.h"

namespace drywarp::observe {

// Warps count from 0 in their block, code blocks as in LaunchCounts::blocks. Of events of one warp, the earlier one is
// told first. An event needs its field in RunEvents; an observer may be told of others too, which another observer
// wants or which the engine knows anyway.

// Lanes begin a basic block of the code.
struct Step {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  LaneMask lanes = 0;
};

// A lane has got memory of the device's heap, or frees it.
struct HeapUse {
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;                                              // 0: it is freed
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the call, as in Denial
};

// Lanes load constants at addresses that they compute.
struct ConstantLoad {
  uint32_t warp = 0;
  uint32_t access = 0;  // as Access has it
  LaneMask lanes = 0;
  uint32_t words = 0;  // different ones, of four bytes
};

// Lanes divide, or take a root of, operands for which machine code calls a subroutine.
struct RareCases {
  uint32_t warp = 0;
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions
  LaneMask lanes = 0;
  uint32_t cases = 0;  // a bit for each RareCase that they have
};

// Lanes look for others with the same value (match.any).
struct ValueMatch {
  uint32_t warp = 0;
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions
  LaneMask lanes = 0;
  uint32_t values = 0;  // different ones
};

// Of one block.
class BlockObserver {
 public:
  virtual ~BlockObserver() = default;
  virtual void step(const Step&) {}
  virtual void access(const Access&) {}
  virtual void bulk(const BulkAccess&) {}
  virtual void used(const Access&) {}
  virtual void followed(const Followed&) {}
  virtual void unknown_store(const UnknownStore&) {}
  virtual void inactive_source(const InactiveSource&) {}
  virtual void unknown_use(const UnknownUse&) {}
  virtual void outcome(const Outcome&) {}
  virtual void arrival(const Arrival&) {}
  virtual void release(const Release&) {}
  virtual void warp_sync(const WarpSync&) {}
  virtual void warp_release(const WarpRelease&) {}
  virtual void mbarrier(const Mbarrier&) {}
  virtual void cluster_barrier(const ClusterBarrier&) {}
  virtual void written_by_others(const RemoteWrite&) {}
  virtual void fence(const Fence&) {}
  virtual void copies(const CopyUse&) {}
  virtual void exit(const Exit&) {}
  virtual void heap(const HeapUse&) {}
  virtual void denial(const Denial&) {}
  virtual void constant_load(const ConstantLoad&) {}
  virtual void rare_cases(const RareCases&) {}
  virtual void value_match(const ValueMatch&) {}
  [[nodiscard]] bool has_left() const { return left_; }
  // Of a compare-and-swap that is for one or two bytes of a word, and the load before it: whether it is told of
  // accesses to these bytes, and not to the word.
  [[nodiscard]] virtual bool looks_at_parts() const { return false; }

 protected:
  void leave() { left_ = true; }  // it is told nothing more

 private:
  bool left_ = false;
};

// Blocks [first, end) of a grid.
struct BlockRange {
  uint64_t first = ~uint64_t{0}, end = ~uint64_t{0};
};

// How the blocks of a launch run.
struct BlockOrder {
  // It is proven that no block reads or overwrites what another one writes; they may run in any order, on any thread.
  // False: they run on one thread, in one order, the same every time.
  bool independent = false;
  // If they are: the accesses, as Access::access, by which blocks may write one value to the same place, or run atomics
  // there of which one is for its own block alone.
  std::span<const uint32_t> same_writes;
  // Also if they are not: loads, likewise, from an allocation into which nothing in the launch writes.
  std::span<const uint32_t> unwritten;
  // Of a cooperative launch: the address of the word at which its blocks arrive at a barrier of the grid; 0: none.
  uint64_t grid_barrier = 0;
  // The kernel looks at some values by a test alone (Access::tested).
  bool tests = false;
  // The sides of a cluster whose blocks may access each other's shared memory: such blocks are not independent.
  std::array<uint32_t, 3> cluster{1, 1, 1};
};

// Of one launch.
class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual RunEvents events() const = 0;
  // Whether it wants to be told of the order of blocks; then starts() is called before the first of them begins.
  [[nodiscard]] virtual bool wants_order() const { return false; }
  virtual void starts(const BlockOrder&) {}
  // If blocks poll what others write: how many to run in turn, as a GPU runs those that are resident; 0: as few as it
  // takes.
  [[nodiscard]] virtual uint64_t side_by_side() const { return 0; }
  // Whether warps may take turns in racing loops (analysis/racing_loops) while it watches.
  [[nodiscard]] virtual bool takes_turns() const { return true; }
  // Whether blocks that may meet are to have their turns at atomics on global memory whose value counts: on a GPU they
  // share what such atomics deal out, and the first one does not take it all.
  [[nodiscard]] virtual bool shares_at_atomics() const { return false; }
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
