// The state of the SMs while a launch is simulated: warps, sub-partitions with their schedulers, resident blocks.
#pragma once

#include <array>
#include <deque>
#include <span>
#include <vector>

#include "model/machine/machine_model.h"
#include "model/memory/memory_system.h"
#include "model/sm/result.h"
#include "model/sm/units/contenders.h"
#include "model/sm/units/cursor.h"

namespace drywarp::sm {

using memory::Server;

// Cache lines of the host's of its own, the first two for nearly all instructions: see look_ahead.cpp.
struct alignas(128) Warp {
  Cycles last_issue = 0;
  Cycles earliest = 0;                  // of its next instruction, operands aside
  const Decoded* last = nullptr;        // the instruction that it issued last
  uint32_t part = 0;                    // the sub-partition that it lives in ...
  uint32_t place = 0;                   // ... and where in its list
  uint32_t pending = 0;                 // instructions that the load-store unit has not taken yet
  Stall reason{};                       // what it waits for until its operands are there ...
  Stall earliest_reason{};              // ... and until `earliest`
  bool waits = false;                   // at a barrier
  Cycles apart[machine::kAparts] = {};  // by machine::Apart: from when on it may issue the next of the kind
  WarpCursor cursor;
  uint32_t block = 0;        // index into Simulator's resident blocks
  uint32_t slot = 0;         // of the SM: where its local memory lies
  uint32_t serial = 0;       // tells it apart from those that had its index before
  LaneMask table_lanes = 0;  // that a jump through a table has sent elsewhere, and that have not run since
  Cycles stores_done = 0, copies_done = 0;
  Cycles stores_sent = 0;  // out of the SM: a warp ends no sooner
};

// When registers of a warp can be read, and what brings their values: a cache line of the host's. Decoded::registers
// has a register's line and place.
struct alignas(64) RegisterLine {
  float at[kScoreboardLine] = {};
  Stall waits_for[kScoreboardLine] = {};
};
static_assert(sizeof(RegisterLine) == 64);

struct SubPartition {
  Contenders warps;            // resident
  uint32_t sm = 0, place = 0;  // which SM it is of, and which there
  std::array<Cycles, machine::kPipes> pipe_free{};
  Cycles bank_free[kRegisterBanks] = {};  // when all that was issued has read its operands
  Cycles next_slot = 0;                   // the cycle after the last issue
  // The last that kept others from issuing: until when, and the share of that in which nobody could.
  Cycles held_until = 0;
  double held_share = 0;
  std::array<Cycles, kQueues> queue_free{};  // when there is room for another
  uint32_t waiting[kQueues] = {};            // for the load-store unit
  std::vector<Cycles> adu_queue;             // when the last instructions for the ADU were taken out, a ring
  uint32_t adu_at = 0;
};

// What an instruction asks of the load-store unit.
struct Request {
  const Decoded* in = nullptr;
  const TraceAccess* access = nullptr;  // nullptr: it touches no memory
  std::span<const TraceLine> lines{};
  Cycles issued = 0;
  Cycles wavefronts = 0;  // of shared memory: the time they take
  uint32_t part = 0, warp = 0, serial = 0, slot = 0;
};

struct Sm {
  Sm(const machine::MachineModel& model, ZeroedArena& arena)
      : code(model.code_cache_bytes, model.code_cache_ways, arena),
        second_code(model.second_code_cache_bytes, model.code_cache_ways, arena) {}
  // The load-store unit takes instructions one after the other, in the order in which they were issued: what takes it
  // long keeps all behind it waiting, whatever they want.
  std::deque<Request> waiting;
  Cycles unit_free = 0;           // when it can take another
  Server issue_port;              // counts what it took
  Server shared;                  // wavefronts
  Server adu;                     // constant loads, barriers
  std::vector<Cycles> constants;  // when lines are there, by Decoded::constants and sub-partition; kNever: nobody asked
  Server constant_port;           // through which they come
  memory::Cache code;             // the instruction cache ...
  std::vector<float> code_there;  // ... or when lines are there, kNever: nobody asked, if it holds all of the code
  memory::Cache second_code;      // behind it, for code that does not fit in there
  Server fetch;                   // brings lines of it
  uint32_t resident = 0;          // blocks
  uint32_t blocks = 0;            // that have started here
  uint32_t warps = 0;
  Cycles next_block = 0;  // when it can start another
  Cycles active_since = 0, active = 0;
  std::vector<uint32_t> free_slots;
};

struct ResidentBlock {
  uint32_t sm = 0;
  uint32_t warps_left = 0, warps = 0;
  struct NamedBarrier {
    uint32_t arrived = 0;
    uint32_t expected = 0;  // warps; 0: all that live
    std::vector<uint32_t> waiting;
  };
  std::array<NamedBarrier, 16> barriers;
  bool reached_memory = false;  // one of its warps has, since a barrier was complete
  Cycles end = 0;
};

}  // namespace drywarp::sm
