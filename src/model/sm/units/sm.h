// The state of the SMs during the simulation of a launch: warps, sub-partitions with their schedulers, resident blocks.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "model/machine/machine_model.h"
#include "model/memory/memory_system.h"
#include "model/sm/result.h"
#include "model/sm/units/candidates.h"
#include "model/sm/units/cursor.h"
#include "model/sm/units/fences.h"

namespace drywarp::sm {

using memory::Server;

// Starts at a host cache line. Nearly all instructions read only the first two lines.
struct alignas(128) Warp {
  Cycles last_issue = 0;
  Cycles earliest = 0;            // issue of its next instruction, without regard to operands
  const Decoded* last = nullptr;  // the instruction that it issued last
  uint32_t part = 0;              // its sub-partition
  uint32_t place = 0;             // its index in SubPartition::warps
  uint32_t pending = 0;           // instructions queued for the load-store unit
  Stall reason{};                 // stall reason until its operands are ready
  Stall earliest_reason{};        // stall reason until `earliest`
  bool waits = false;             // at a barrier
  Cycles spacing[machine::kSpacedKinds] =
      {};  // by machine::Spacing: when it may issue the next instruction of that kind
  WarpCursor cursor;
  uint32_t block = 0;              // index into Simulation::blocks
  uint32_t slot = 0;               // warp slot of the SM; determines the address of its local memory
  uint32_t serial = 0;             // distinguishes it from earlier warps with its index
  uint32_t frame_word = 0;         // of local memory: where the frame of the function at hand starts
  LaneMask table_lanes = 0;        // lanes that diverged at a jump through a table and have not run since
  std::vector<uint8_t> unswapped;  // in a loop of compare-and-swaps: lanes that have not swapped, by word
  Cycles stores_done = 0, copies_done = 0;
  Cycles loaded = 0;   // when the wavefronts of its last load from the L2 or beyond have moved: its loads take turns
  Cycles settled = 0;  // when the next basic block may begin: the results of this one are there
  Cycles values_back = 0;  // of its atomics that return values
  Cycles stores_sent = 0;  // when its stores have left the SM: it cannot end before
};

// A part of a warp's scoreboard, one host cache line: when registers can be read, and the stall reason until then.
// Decoded::registers has a register's line and place.
struct alignas(64) RegisterLine {
  float at[kScoreboardLine] = {};
  Stall stall_reason[kScoreboardLine] = {};
};
static_assert(sizeof(RegisterLine) == 64);

struct SubPartition {
  Candidates warps;            // resident
  uint32_t sm = 0, place = 0;  // its SM, and its index there
  std::array<Cycles, machine::kPipes> pipe_free{};
  Cycles bank_free[kRegisterBanks] = {};  // when all issued instructions have read their operands
  uint64_t issues = 0, bank_waits = 0;    // instructions; the sum of their Decoded::bank_waits
  Cycles next_slot = 0;                   // when the scheduler can issue again
  // The last instruction that occupied the scheduler for longer: until when, and Decoded::slots_share.
  Cycles held_until = 0;
  double held_share = 0;
  std::array<Cycles, kQueues> queue_free{};  // when a queue has a free entry
  uint32_t waiting[kQueues] = {};            // instructions queued for the load-store unit
  std::vector<Cycles> adu_queue;             // ring buffer: when the last instructions left the queue for the ADU
  uint32_t adu_at = 0;
  Cycles active_since = 0, active = 0;  // with at least one warp
  // Of the time in which warps wait for banks: the share in which no instruction can issue.
  [[nodiscard]] double bank_share() const {
    return static_cast<double>(bank_waits) / static_cast<double>(std::max<uint64_t>(issues + bank_waits, 1));
  }
};

struct Sm {
  Server shared;                                            // wavefronts of shared memory
  Server adu;                                               // constant loads, barriers
  Server pointer_calls;                                     // calls through pointers
  std::array<bool, machine::kSystemCalls> called_before{};  // functions of the system
  Cycles stores_done = 0;                                   // of its warps, and atomics
  Fences fences;                                            // for the device
  uint32_t resident = 0;                                    // resident blocks
  uint32_t next_part = 0;                                   // where the next warp starts, in turns
  Cycles next_block = 0;                                    // when it can start the next block
  Cycles active_since = 0, active = 0;
  std::vector<uint32_t> free_slots;
};

inline constexpr Cycles kLongAgo = -1e9;

struct ResidentBlock {
  uint32_t sm = 0;
  uint32_t warps_left = 0, warps = 0;
  struct NamedBarrier {
    uint32_t arrived = 0;
    uint32_t expected = 0;  // warps; 0: all that have not ended
    std::vector<uint32_t> waiting;
  };
  std::array<NamedBarrier, 16> barriers;
  // A barrier object in shared memory (mbarrier).
  struct Object {
    struct Waiter {
      uint32_t warp = 0, serial = 0;
      const Decoded* in = nullptr;
    };
    uint32_t place = 0;
    int32_t expected = 0, pending = 0;  // arrivals of a phase; that this one still waits for
    int64_t bytes = 0;                  // likewise
    uint8_t phase = 0;                  // its lowest bit
    Cycles latest = 0;                  // of what has counted for this phase
    Cycles completed[2] = {};           // the last phases
    std::vector<Waiter> waiting;        // for this phase
  };
  std::vector<Object> objects;
  // When a word of shared memory was swapped last; by a part of its number.
  struct SwappedWord {
    uint64_t word = 0;
    Cycles at = kLongAgo;
  };
  std::vector<SwappedWord> swapped;  // empty: no warp has swapped
  uint32_t serial = 0;               // distinguishes it from earlier blocks in its place
  bool reached_memory = false;       // a warp has accessed memory since the last barrier
  Cycles end = 0;
};

}  // namespace drywarp::sm
