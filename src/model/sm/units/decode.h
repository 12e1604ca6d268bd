// Machine code decoded for the simulator: a flat array of small instructions, with one numbering for the registers of
// all files.
#pragma once

#include <array>
#include <span>

#include "model/machine/machine_code.h"
#include "model/machine/machine_model.h"
#include "model/sm/result.h"
#include "model/sm/units/register_banks.h"

namespace drywarp::sm {

// The queue in which an instruction waits for its unit.
enum class Queue : uint8_t { None, Memory, Shared };  // lg_throttle, mio_throttle
inline constexpr unsigned kQueues = 3;

// The effect of an instruction, beyond its issue slot and its pipe.
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
  CopyCommit,    // ends a group of them
  CopyWait,      // for such groups
  Object,        // a use of a barrier object
  BulkCopy,      // of many bytes, by one thread
  BulkCommit,    // ends a group of them
  BulkWait,      // for such groups
  GroupProduct,  // of matrices, by a warp group
  GroupWait,     // for groups of them
  Barrier,
  Fence,
  Branch,
  Reconverge,  // diverged lanes reconverge
  Yield,       // lanes let others of the warp go on
  Exit,
  Sleep
};

// Registers that share a line of a warp's scoreboard.
inline constexpr unsigned kScoreboardLine = 12;
// The latency of an operand beyond its producer's, by use.
enum class ExtraLatency : uint16_t {
  None,
  Guard,   // a guard, or the condition of a branch
  Pipe,    // the result of another pipe with fixed latency
  Factor,  // of a product with a 64-bit or high result, and itself of such a product
  LowWord  // the low word of a product of 64 bits, in the other pipe
};
inline constexpr unsigned kExtraLatencies = 5;
struct ScoreboardPlace {
  uint16_t line : 9 = 0, place : 4 = 0;
  ExtraLatency extra : 3 {};
  [[nodiscard]] uint32_t number() const { return line * kScoreboardLine + place; }
};
// By ExtraLatency.
[[nodiscard]] inline std::array<memory::Cycles, kExtraLatencies> extra_latencies(const machine::MachineModel& model) {
  return {0, static_cast<float>(model.branch_predicate_cycles), model.other_pipe_cycles, model.wide_factor_cycles,
          model.other_pipe_cycles - model.wide_low_cycles};
}

inline constexpr int8_t kAnyTime = -100;  // an instruction without operands in a bank does not wait for it

// The resources of its sub-partition that an instruction needs to issue.
struct alignas(4) IssueNeeds {
  machine::Pipe pipe : 5 {};
  Queue queue : 2 {};
  bool local_only : 1 = false;  // affects only its own sub-partition
  // It may issue this long after a bank is free; negative: before.
  int8_t bank_lead[kRegisterBanks] = {kAnyTime, kAnyTime};
};
static_assert(sizeof(IssueNeeds) == 4);

struct Decoded : IssueNeeds {
  // A matrix instruction reads 4 + 2 + 4 registers and its guard; a load of a vector and a matrix instruction write 4.
  // Of what reads or writes more (texture coordinates, WMMA) the first operands count.
  static constexpr unsigned kReads = 12, kWrites = 5;
  ScoreboardPlace registers[kReads + kWrites];  // its sources, then its destinations
  uint8_t reads = 0, both = 0;                  // number of sources; of sources and destinations
  Action action{};
  float latency = 0, issue = 0;
  float slots = 1;  // cycles until its scheduler can issue again
  float stall = 1;  // cycles until its warp can issue the next instruction of the block: stall_counts.h
  bool past_l1 = false, one_lane = false, ahead = false;
  machine::ActsIn acts_in = machine::ActsIn::AllWarps;
  bool for_device = false;      // a fence: it waits for all stores of the SM
  bool invalidates_l1 = false;  // behind a fence or an acquire
  memory::AtomicKind atomic{};
  uint8_t words = 1;                     // 32-bit words that it moves per lane
  uint8_t matched_words = 0;             // MATCH: of a value
  uint32_t frame_word = machine::kNone;  // of a spill: see machine::MachineInstruction
  int16_t frame_step = 0;
  // As machine::MachineInstruction has them.
  bool ends_group = false, until_read = false, for_copies = false, adds_bytes = false;
  bool of_tensor = false;  // a copy of a box
  uint8_t pending = 0;
  float wavefronts = 0;  // of shared memory, that a warp's part of a product reads
  // The compiler spaces some instructions of a warp. The kind of earlier instructions that this one keeps a distance
  // from; the kind that it is itself.
  machine::Spacing spaced_after = machine::Spacing::None, spacing_kind = machine::Spacing::None;
  bool is_table_jump = false;               // a jump through a table, or a call through a pointer
  machine::SystemCall system{};             // the function of the system that it calls
  bool repeats_swap = false;                // as machine::MachineInstruction has it
  float settles = 0;                        // arithmetic: cycles to the first instruction of the next basic block
  bool rare_path = false;                   // a branch to a division's or root's subroutine for rare cases
  bool reconverges = false;                 // as machine::MachineInstruction has it
  bool by_pointer = false, calls = false;   // a call through a pointer; a call or a return
  bool adu = false;                         // uses the SM's address divergence unit
  bool variable = false;                    // variable latency: its consumers stall on short_scoreboard
  uint8_t bank_reads[kRegisterBanks] = {};  // operands that it reads from each bank
  // Derived from the above.
  uint8_t bank_waits = 0;  // cycles in which it reads a second or third operand from a bank
  Stall throttle{};        // the stall reason of warps that wait for its pipe or queue
  // While another instruction occupies its pipe, or it occupies its scheduler itself: the share of that time in which
  // no instruction can issue.
  double pipe_share = 0, slots_share = 0;
  unsigned known_pipe = machine::kPipes;  // its pipe, if the compiler delays the warp's next instruction for it
  double next_issue[2] = {1, 1};          // cycles to the warp's next instruction: for another pipe, for known_pipe
  uint16_t step = 0;
  uint32_t constants = machine::kNone;  // number of the constant line that it reads
  bool far_constants = false;           // these are the program's constants, not the launch's
  uint32_t code_line = 0;               // of the instruction cache
  uint32_t access = machine::kNone;
  // Indices of its accesses among those of its block, if the trace has all of them.
  uint16_t access_place = 0, merged_place[3] = {};
  uint16_t merged_step[3] = {};
  uint32_t merged[3] = {machine::kNone, machine::kNone, machine::kNone};  // accesses that are merged into it
  uint32_t ptx = machine::kNone;
};

struct DecodedBlock {
  uint32_t first = 0, end = 0;        // in DecodedKernel::code
  uint32_t path = 0, path_steps = 0;  // in DecodedKernel::paths
  uint32_t copies = 0;                // iterations of a loop that is unrolled, here or in another block; 0: of none
  bool left_between = false;          // lanes may leave behind each of several iterations
};

struct DecodedKernel {
  std::vector<Decoded> code;
  std::vector<machine::PathStep> paths;
  // Sorted by the first PTX block of the path, longest path first.
  std::vector<DecodedBlock> blocks;
  std::vector<uint32_t> starting_at;  // by PTX block: index of the first block that starts there; one more at the end
  uint32_t constant_lines = 0;        // lines that the kernel reads; LDC's count apart, as they have another cache
  uint32_t scoreboard_lines = 0;      // for all registers that the kernel uses
};

DecodedKernel decode(const machine::MachineKernel& kernel, const machine::MachineModel& model);

}  // namespace drywarp::sm
