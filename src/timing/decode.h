// Machine code made ready for the simulator: one flat array of small instructions, registers numbered through all
// files.
#pragma once

#include <span>

#include "machine/machine_code.h"
#include "timing/machine_model.h"

namespace drywarp::timing {

// Where a register of a file is on a warp's scoreboard.
inline constexpr unsigned kGeneralRegisters = 256, kPredicates = 8, kUniformRegisters = 64, kUniformPredicates = 8;
inline constexpr unsigned kScoreboard = kGeneralRegisters + kPredicates + kUniformRegisters + kUniformPredicates;

// What the simulator does at an instruction, beyond taking an issue slot and a pipe.
enum class Action : uint8_t {
  Compute,
  Load,
  Store,
  Atomic,
  SharedLoad,
  SharedStore,
  SharedAtomic,
  LocalLoad,
  LocalStore,
  Copy,
  CopyWait,
  Barrier,
  Fence,
  Branch,
  Exit,
  Sleep
};

struct Decoded {
  static constexpr unsigned kReads = 12, kWrites = 5;
  uint16_t reads[kReads];    // scoreboard places, then kScoreboard
  uint16_t writes[kWrites];  // likewise
  float latency = 0, issue = 0;
  machine::Pipe pipe{};
  Action action{};
  bool past_l1 = false, one_lane = false;
  bool variable = false;  // its result is awaited on a scoreboard: short_scoreboard
  uint16_t step = 0;
  uint32_t access = machine::kNone;
  uint32_t merged[3] = {machine::kNone, machine::kNone, machine::kNone};  // accesses of loads that became part of it
  uint32_t ptx = machine::kNone;
};

struct DecodedBlock {
  std::vector<machine::PathStep> path;
  uint32_t first = 0, end = 0;  // in DecodedKernel::code
};

struct DecodedKernel {
  std::vector<Decoded> code;
  std::vector<DecodedBlock> blocks;
  // By the PTX block that the trace shows: the machine blocks that start there, longest path first.
  std::vector<std::vector<uint32_t>> starting_at;
};

DecodedKernel decode(const machine::MachineKernel& kernel, const MachineModel& model);

}  // namespace drywarp::timing
