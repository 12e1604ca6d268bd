// The state of a simulated launch that its units share.
#pragma once

#include <array>
#include <vector>

#include "base/support/huge_pages.h"
#include "model/sm/timing.h"
#include "model/sm/units/event_queue.h"
#include "model/sm/units/sm.h"
#include "model/sm/units/timeline_recorder.h"

namespace drywarp::sm {

// Counters of a machine instruction.
struct Tally {
  uint64_t issued = 0, lanes = 0;
  StallCycles stalls{};
};

// The warp that issues at its sub-partition's event.
struct Chosen {
  uint32_t index = 0, warp = 0;  // in SubPartition::warps; in Simulation::warps
};

// The effect of an instruction on its warp.
struct Effect {
  Cycles result = 0;                 // when the result is ready
  Stall stall_reason = Stall::Wait;  // stall reason of its consumers
  Cycles next = 0;                   // the warp's next issue, if later than usual
  Stall next_reason = Stall::Wait;
};

struct Simulation {
  Simulation(const machine::MachineModel& model, const DecodedKernel& code, const LaunchTrace& trace,
             const SimulatedLaunch& launch, TimelineRecorder* recorder = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  const machine::MachineModel model;
  const DecodedKernel& code;
  const uint32_t code_lines;
  const LaunchTrace& trace;
  const SimulatedLaunch launch;
  const std::array<Cycles, kExtraLatencies> extra_latency;  // by ExtraLatency
  memory::MemorySystem memory;
  std::pmr::vector<Warp> warps{huge_pages()};
  std::pmr::vector<RegisterLine> registers{huge_pages()};  // of all warps, code.scoreboard_lines each
  std::vector<SubPartition> parts;
  std::vector<Chosen> chosen;  // by sub-partition
  std::vector<Sm> sms;
  std::vector<ResidentBlock> blocks;
  TimelineRecorder* const recorder;   // null: nothing is recorded
  const uint32_t recorded_parts = 0;  // the first sub-partitions: those whose issues are recorded
  EventQueue events;                  // units of an SM: its sub-partitions, its load-store unit, its bulk copies
  Cycles end = 0, now = 0;
  std::vector<Tally> tallies;                              // by machine instruction
  std::array<Server, machine::kSystemCalls> system_turns;  // of warps that call functions of the system
  KernelTiming sums;                                       // counters that belong to no instruction
  const bool fences_device;                                // some instruction is a fence for the device

  [[nodiscard]] RegisterLine* registers_of(uint32_t warp) {
    return registers.data() + size_t{warp} * code.scoreboard_lines;
  }
  [[nodiscard]] const RegisterLine* registers_of(uint32_t warp) const {
    return registers.data() + size_t{warp} * code.scoreboard_lines;
  }
  [[nodiscard]] uint32_t sm_of(uint32_t part) const { return parts[part].sm; }
  [[nodiscard]] Tally& tally_of(const Decoded& in) { return tallies[static_cast<size_t>(&in - code.code.data())]; }
};

}  // namespace drywarp::sm
