// The seam between running and measuring: what a launch does, as plain structs, and who wants to hear of it.
//
// The engine counts with code of its own, inlined into the kernel; observers see the same things as events. They serve
// what needs more than sums (caches, timing, tracing) and prove the inlined counters right. An observer overrides what
// it needs and ignores the rest; wants() says which events must be made for it at all.
//
// Blocks run on several threads: each thread has its own shard() of every observer, and the shards are merged into the
// original in a fixed order when the launch ends, so that a result never depends on the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "events/access_pattern.h"
#include "events/counts.h"

namespace drywarp {

// Where an event happened. `instruction` indexes KernelInfo::instructions; `block` is the linear index in the grid (x
// fastest), `warp` the index in the block.
struct EventPlace {
  uint32_t instruction = 0;
  uint32_t warp = 0;
  uint64_t block = 0;
};

struct LaunchBeginEvent {
  const KernelInfo& kernel;
  uint32_t grid[3];
  uint32_t block[3];
};

struct BlockEvent {
  uint64_t block = 0;
  uint32_t warps = 0;
};

// A warp reached an instruction: `active` lanes are on this path, `executed` of them passed its guard.
struct InstructionEvent {
  EventPlace at;
  LaneMask active = 0;
  LaneMask executed = 0;
};

// A warp accessed one memory. Lanes outside `lanes` have no meaning in `addresses`. Global: device addresses. Local:
// offsets in each thread's own local memory. Shared: offsets in the block's window. A generic access makes one event
// for each memory that it touched.
struct AccessEvent {
  EventPlace at;
  Memory memory = Memory::Global;
  LaneMask lanes = 0;
  uint8_t size = 0;  // bytes a lane
  std::span<const uint64_t, kWarpSize> addresses;
};

// A conditional branch: `taken` of the `active` lanes went to its target, the others fell through.
struct BranchEvent {
  EventPlace at;
  LaneMask active = 0;
  LaneMask taken = 0;
};

// A warp came to a barrier of its block.
struct BarrierEvent {
  EventPlace at;
  uint32_t barrier = 0;
  LaneMask active = 0;
};

enum EventKind : uint32_t {
  kBlockEvents = 1,
  kInstructionEvents = 2,
  kAccessEvents = 4,
  kBranchEvents = 8,
  kBarrierEvents = 16,
};

class Observer {
 public:
  virtual ~Observer() = default;
  [[nodiscard]] virtual uint32_t wants() const = 0;  // EventKinds or'ed

  // An observer of the same kind that has seen nothing yet, for one thread; and what it saw, added to this one.
  [[nodiscard]] virtual std::unique_ptr<Observer> shard() const = 0;
  virtual void merge(const Observer& shard) = 0;  // `shard` came from this observer's shard()

  virtual void on_launch_begin(const LaunchBeginEvent&) {}  // before shard()
  virtual void on_launch_end() {}                           // after the last merge()
  virtual void on_block_begin(const BlockEvent&) {}
  virtual void on_block_end(const BlockEvent&) {}
  virtual void on_instruction(const InstructionEvent&) {}
  virtual void on_access(const AccessEvent&) {}
  virtual void on_branch(const BranchEvent&) {}
  virtual void on_barrier(const BarrierEvent&) {}
};

}  // namespace drywarp
