// What observers are told of barriers, exchanges of warps, barrier objects, fences and the end of lanes.
#pragma once

#include <cstdint>
#include <span>

#include "base/access/access_pattern.h"
#include "base/access/memory_order.h"
#include "base/events/barrier_note.h"
#include "base/events/counts.h"

namespace drywarp::observe {

// Lanes arrive at a barrier of their block, or wait for their cluster (jit::kClusterBarrier).
struct Arrival {
  uint32_t warp = 0;
  uint32_t code_block = 0;  // the barrier is its first instruction
  uint32_t barrier = 0;
  uint32_t threads = 0;  // that it waits for; 0: the whole block
  bool waits = true;     // false: bar.arrive
  LaneMask lanes = 0;
};

// A barrier of the block completes: the lanes that wait there continue.
struct Release {
  uint32_t barrier = 0;
  std::span<const LaneMask> lanes;    // that waited, by warp
  const BarrierNote* note = nullptr;  // threads of the block never arrived; null: they all did, or are not awaited
};

// Lanes reach a __syncwarp(), or an exchange whose members wait for each other: shfl.sync, vote.sync, match, redux,
// elect.
struct WarpSync {
  uint32_t warp = 0;
  uint32_t code_block = 0;  // it is the first instruction
  bool exchange = false;    // which orders no memory
  LaneMask lanes = 0;
  LaneMask exited = 0;  // lanes of the warp that have ended, or never were
  // Lanes that execute the same exchange at another place in the program.
  LaneMask peers = 0;
  const LaneMask* members = nullptr;  // the mask that each lane of `lanes` names
};

// Lanes that waited for each other at a WarpSync continue together.
struct WarpRelease {
  uint32_t warp = 0;
  bool exchange = false;  // which orders no memory
  LaneMask lanes = 0;
};

// Lanes have used a barrier object (mbarrier). Told after it, lane by lane.
struct Mbarrier {
  // Expect and Complete: of bytes that are to come, and that have.
  enum class Use : uint8_t { Init, Inval, Arrive, Expect, Complete, Wait };
  struct State {
    bool valid = false;
    uint32_t phase = 0;        // its lowest bit
    uint32_t expected = 0;     // arrivals a phase
    uint32_t pending = 0;      // arrivals that the phase still waits for
    int32_t transactions = 0;  // bytes likewise; less than 0: more have come than were expected
    bool operator==(const State&) const = default;
  };
  uint32_t warp = 0;
  Use use = Use::Wait;
  uint32_t lane = 0;
  uint64_t address = 0;
  uint32_t place = 0;                             // in the block's shared memory
  uint32_t instruction = InstructionInfo::kNone;  // in KernelInfo::instructions; kNone: the engine's own use
  bool passed = false;                            // Wait: the phase had completed
  LaneMask lanes = 0;                             // that execute the instruction, the lowest one first
  uint32_t count = 0;       // Init, Arrive: arrivals; Expect, Complete: bytes; Wait: the phase's lowest bit
  bool tokens = false;      // Wait: for the phase of the lane's own arrival
  bool completes = true;    // Arrive: the program allows it to complete the phase
  bool releases = false;    // Complete: of the bytes that the lane itself has stored (st.async)
  bool in_cluster = false;  // of several blocks
  bool remote = false;      // the object is in another block of it
  State before, after;
  uint32_t ptx_line = 0, file = InstructionInfo::kNone, line = 0;  // of the instruction, as in Denial
  [[nodiscard]] bool ends_phase() const { return use != Use::Init && after.valid && before.phase != after.phase; }
};

// Lanes end a group of their asynchronous copies (Commit), wait for all but their last `pending` groups (Wait), or let
// a barrier object wait for their copies so far (Arrive). Copies that the engine has done at once are complete for a
// program only then.
struct CopyUse {
  enum class Use : uint8_t { Commit, Wait, WaitAll, Arrive };
  uint32_t warp = 0;
  Use use = Use::Commit;
  uint32_t pending = 0;  // Wait
  LaneMask lanes = 0;
  const uint64_t* addresses = nullptr;  // Arrive: the objects, by lane
  bool remote = false;                  // likewise: they are in other blocks of the cluster
};

// Lanes arrive at the barrier of their cluster, or pass it: all threads of the cluster have arrived.
struct ClusterBarrier {
  uint32_t warp = 0;
  bool passes = false;
  MemoryOrder order = MemoryOrder::Release;  // of an arrival
  LaneMask lanes = 0;
  uint64_t cluster = 0;  // its first block
  uint64_t phase = 0;
  bool first = false;  // no other thread of the cluster has arrived in this phase yet
};

// Another block of the cluster writes into the shared memory of this one. What one block does in another's is told to
// the one that does it as an Access or a BulkAccess that is `remote`, and to the other as this alone.
struct RemoteWrite {
  uint32_t bytes = 0;
  uint64_t place = 0;   // as Access has it
  uint32_t offset = 0;  // as Mbarrier has its place
};

struct Fence {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  MemoryOrder order = MemoryOrder::Sc;
  MemoryScope scope = MemoryScope::None;
  LaneMask lanes = 0;
};

// Lanes end.
struct Exit {
  uint32_t warp = 0;
  uint32_t code_block = 0;
  LaneMask lanes = 0;
};

}  // namespace drywarp::observe
