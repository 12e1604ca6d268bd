// The state of the SMs while a launch is simulated: warps, sub-partitions with their schedulers, resident blocks.
#pragma once

#include <array>
#include <vector>

#include "memsys/memory_system.h"
#include "timing/cursor.h"
#include "timing/machine_model.h"
#include "timing/result.h"

namespace drywarp::timing {

using memsys::Cycles;
using memsys::Server;

inline constexpr Cycles kNever = 1e18;

struct Warp {
  WarpCursor cursor;
  uint32_t block = 0;  // index into Simulator's resident blocks
  uint32_t slot = 0;   // of the SM: where its local memory lies
  uint64_t age = 0;    // older warps issue first
  bool waits = false;  // at a barrier
  Cycles last_issue = 0;
  uint32_t last_ptx = machine::kNone;  // of the instruction that it issued last
  Cycles ready = 0;                    // when its next instruction's operands are there
  Stall reason{};                      // what it waits for until then
  Cycles stores_done = 0, copies_done = 0;
  Cycles stores_sent = 0;                          // out of the SM: a warp ends no sooner
  std::array<float, kScoreboard + 1> at{};         // when each register's value can be read
  std::array<Stall, kScoreboard + 1> waits_for{};  // and what brings it
};

// Which queue an instruction waits in before its unit takes it.
enum class Queue : uint8_t { None, Memory, Shared };  // lg_throttle, mio_throttle

struct SubPartition {
  std::vector<uint32_t> warps;  // resident, oldest first
  std::array<Cycles, kPipes> pipe_free{};
  Cycles next_slot = 0;          // the cycle after the last issue
  std::vector<Cycles> queue[3];  // by Queue: when the last instructions were taken out, a ring
  uint32_t queue_at[3] = {};
  uint32_t version = 0;  // of its entry in the simulator's heap
};

struct Sm {
  explicit Sm(const MachineModel& model) : code(model.code_cache_bytes, model.code_cache_ways) {}
  Server issue_port;      // into the load-store unit
  Server shared;          // wavefronts
  memsys::Cache code;     // the instruction cache
  Server fetch;           // brings lines of it
  uint32_t resident = 0;  // blocks
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
  std::vector<NamedBarrier> barriers;
  Cycles end = 0;
};

}  // namespace drywarp::timing
