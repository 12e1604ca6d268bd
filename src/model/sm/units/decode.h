// Machine code made ready for the simulator: one flat array of small instructions, the registers that the kernel uses
// numbered through all files.
#pragma once

#include <span>

#include "model/machine/machine_code.h"
#include "model/machine/machine_model.h"
#include "model/sm/result.h"
#include "model/sm/units/register_banks.h"

namespace drywarp::sm {

// Which queue an instruction waits in before its unit takes it.
enum class Queue : uint8_t { None, Memory, Shared };  // lg_throttle, mio_throttle
inline constexpr unsigned kQueues = 3;

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
  Meeting,  // lanes that parted go on together
  Exit,
  Sleep
};

// Registers that share a line of a warp's scoreboard.
inline constexpr unsigned kScoreboardLine = 12;
// How long behind its latency a result can be read, by who reads it.
enum class Late : uint16_t {
  None,
  Guard,  // a guard, and a branch what it branches on
  Pipe    // what another pipe made whose latency is fixed
};
inline constexpr unsigned kLates = 3;
struct ScoreboardPlace {
  uint16_t line : 10 = 0, place : 4 = 0;
  Late late : 2 {};
};

inline constexpr int8_t kAnyTime = -100;  // an instruction that reads nothing of a bank does not wait for it

// What an instruction needs of its sub-partition to issue, beside its operands.
struct alignas(4) IssueNeeds {
  machine::Pipe pipe : 5 {};
  Queue queue : 2 {};
  bool alone : 1 = false;  // only its own sub-partition sees what it does
  // How long after a bank is free it must issue, or may before.
  int8_t bank_lead[kRegisterBanks] = {kAnyTime, kAnyTime};
};
static_assert(sizeof(IssueNeeds) == 4);

struct Decoded : IssueNeeds {
  static constexpr unsigned kReads = 12, kWrites = 5;
  ScoreboardPlace registers[kReads + kWrites];  // what it reads, then what it writes
  uint8_t reads = 0, both = 0;                  // so many are read; read or written
  Action action{};
  float latency = 0, issue = 0;
  float slots = 1;  // cycles until its scheduler issues another
  bool past_l1 = false, one_lane = false;
  uint8_t words = 1;  // of 32 bits that it moves a lane
  // A compiler, which knows the distances, keeps a warp's instructions apart: from those before of which kind this one
  // is kept, and of which kind it is to those behind.
  machine::Apart apart_from = machine::Apart::None, apart_for = machine::Apart::None;
  bool looks_up = false;                    // a jump through a table
  bool adu = false;                         // takes a turn of the SM's address divergence unit
  bool variable = false;                    // its result is awaited on a scoreboard: short_scoreboard
  uint8_t bank_reads[kRegisterBanks] = {};  // operands that it takes out of each bank
  // What follows from the above. Stalls of those who wait for its pipe or queue; of the time that others have its pipe
  // or its operands' banks, or that it keeps its scheduler, the share in which nobody could issue; the pipe, if a
  // warp's next instruction for the same is known to wait, and for how long.
  Stall throttle{};
  double pipe_share = 0, bank_share = 0, slots_share = 0;
  unsigned known_pipe = machine::kPipes;
  double issue_apart[2] = {1, 1};  // from it to the warp's next, which is not for that pipe, or is
  uint16_t step = 0;
  uint32_t constants = machine::kNone;  // number of the line of constants that it reads ...
  bool far_constants = false;           // ... which are the program's, not the launch's
  uint32_t code_line = 0;               // of the instruction cache
  uint32_t access = machine::kNone;
  // Where among the accesses of its block the trace has it, if it has all of them.
  uint16_t access_place = 0, merged_place[3] = {};
  uint32_t merged[3] = {machine::kNone, machine::kNone, machine::kNone};  // accesses of loads that became part of it
  uint32_t ptx = machine::kNone;
};

struct DecodedBlock {
  uint32_t first = 0, end = 0;        // in DecodedKernel::code
  uint32_t path = 0, path_steps = 0;  // in DecodedKernel::paths
};

struct DecodedKernel {
  std::vector<Decoded> code;
  std::vector<machine::PathStep> paths;
  // By the PTX block that the trace shows, where they start; of the same, longest path first.
  std::vector<DecodedBlock> blocks;
  std::vector<uint32_t> starting_at;  // the first that starts at a PTX block, of each, and behind the last
  uint32_t constant_lines = 0;        // that the kernel reads, those of LDC apart: another cache has them
  uint32_t scoreboard_lines = 0;      // of all registers that the kernel uses, of all files
};

DecodedKernel decode(const machine::MachineKernel& kernel, const machine::MachineModel& model);

}  // namespace drywarp::sm
