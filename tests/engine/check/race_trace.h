// What the threads of a launch do, in one interleaving: the input of the race check and of its oracle.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/access/memory_order.h"
#include "engine/observe/observer.h"

namespace drywarp::check {

struct TraceEvent {
  enum class Kind : uint8_t {
    Access,  // a load, a store, an atomic
    Copy,    // cp.async: reads `from` in global memory, writes `at` in shared memory
    Commit,  // of the lanes' copies
    Wait,    // for all but the last `count` groups
    WaitAll,
    Fence,
    Arrive,   // at barrier `barrier`; `waits`: else bar.arrive
    Release,  // of barrier `barrier`: the lanes of all warps in `released`
    WarpSync,
    ObjectArrive,  // at barrier object `barrier`; `completes` the phase
    ObjectCopies,  // the object waits for the lanes' copies so far
    ObjectWait,    // and the phase has completed
  };
  Kind kind = Kind::Access;
  uint32_t block = 0, warp = 0;
  LaneMask lanes = 0;
  uint32_t instruction = 0;  // of Access and Copy; a copy's write is the next number
  // Access, Copy
  Memory memory = Memory::Shared;
  uint32_t owner = 0;  // of Access, in shared memory of a cluster: the block whose it is
  AccessKind access = AccessKind::Load;
  MemoryOrder order = MemoryOrder::Weak;  // Fence, too
  MemoryScope scope = MemoryScope::None;
  uint32_t bytes = 4;
  std::array<uint64_t, kWarpSize> at{}, from{};
  std::array<uint8_t, kWarpSize> value{};  // a store writes it to each byte
  LaneMask wrote = 0;                      // of an atomic
  bool unread = false;                     // nobody looks at what a load or an atomic reads
  bool idle = false;                       // an atomic that leaves its word as it is
  bool tested = false;                     // of a load: the lanes ask only whether it is `asked`
  uint64_t asked = 0;
  std::array<uint64_t, kWarpSize> after{};  // what an atomic leaves behind
  // An atomic or a store by which the lanes take a lock, or try to, or give it back. Of locks that are taken by swaps,
  // 0 is free.
  enum class Lock : uint8_t { None, Swap, Exchange, Give };
  Lock lock = Lock::None;
  bool taken = false;
  // the others
  uint32_t count = 0, barrier = 0;
  bool waits = true, completes = false;
  std::vector<LaneMask> released;
};

struct Trace {
  uint32_t blocks = 1, warps = 2;
  uint32_t instructions = 0;
  bool independent = false;  // blocks have global memory of their own
  bool cluster = false;      // the blocks are one, and access each other's shared memory
  std::vector<TraceEvent> events;
};

}  // namespace drywarp::check
