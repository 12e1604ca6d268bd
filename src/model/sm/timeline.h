// What happened in a simulated launch, cycle by cycle, for drawings: blocks on the slots of all simulated SMs, the
// warps of one SM with their stalls and issues, and DRAM. Everything is modelled; times are cycles of the SM's clock
// from the launch's start.
//
// Recordings are bounded. Each of the three parts is complete from the start up to a time of its own (`until`), and
// holds nothing that starts later; what goes on at that time ends there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/memory/dram_access.h"
#include "model/sm/result.h"

namespace drywarp::sm {

struct Timeline {
  struct Block {
    uint32_t sm = 0, slot = 0;  // a block slot of that SM
    uint64_t block = 0;         // linear index in the grid, x fastest
    memory::Cycles start = 0, end = 0;
    bool operator==(const Block&) const = default;
  };
  // Cycles in which a warp does not issue. Segments and issues tile the time from the warp's start to its end: between
  // two segments, or after one, is a cycle in which it issues.
  struct Segment {
    memory::Cycles start = 0, end = 0;
    Stall reason{};
    bool operator==(const Segment&) const = default;
  };
  struct Warp {
    uint32_t scheduler = 0, slot = 0;  // of the SM: a scheduler, a warp slot
    uint64_t block = 0;                // as Block::block
    uint32_t warp = 0;                 // of its block
    memory::Cycles start = 0, end = 0;
    std::vector<Segment> segments;  // in order of time
    bool operator==(const Warp&) const = default;
  };
  struct Issue {
    memory::Cycles cycle = 0;
    uint32_t warp = 0;         // index into `warps`
    uint32_t instruction = 0;  // machine instruction: index into `instructions`
    bool second = false;       // of two that issued together
    bool operator==(const Issue&) const = default;
  };

  uint32_t sms = 0, schedulers = 0;  // simulated SMs; schedulers of an SM
  uint32_t channels = 0, banks = 0;  // of DRAM that are simulated; of a channel
  memory::Cycles end = 0;            // of the simulated part of the launch

  std::vector<Block> blocks;  // in the order in which they were dispatched
  memory::Cycles blocks_until = 0;
  uint32_t sm = 0;            // whose warps and issues
  std::vector<Warp> warps;    // in the order in which they were dispatched
  std::vector<Issue> issues;  // in order of time
  memory::Cycles warps_until = 0;
  std::vector<memory::DramAccess> dram;  // in the order in which the controllers got them
  memory::Cycles dram_until = 0;

  // By machine instruction, in the order of machine::MachineKernel::blocks: not cut, but extrapolated to the whole
  // launch as LaunchTime::instructions.
  std::vector<InstructionTiming> instructions;

  [[nodiscard]] bool cut() const { return blocks_until < end || warps_until < end || dram_until < end; }
};

}  // namespace drywarp::sm
