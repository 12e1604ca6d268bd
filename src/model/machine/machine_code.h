// A kernel as a GPU would issue it: PTX lowered to nearly the instructions that ptxas generates, with registers
// allocated. This is an estimate (no SASS is read), so all values computed from it are `modelled`.
//
// Plain structs: model/sass writes them; model/sm and the reports read them.
//
// The trace of a launch (base/events/warp_trace.h) lists the PTX blocks that each warp ran. A MachineBlock covers a
// path of such blocks: usually one block; the iterations of an unrolled loop; or a branch with its sides, if short
// sides became predicated instructions. Timing follows the trace and takes at each point the machine block with the
// longest matching path: see MachineKernel::blocks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/access/address_space.h"
#include "model/machine/operand_list.h"
#include "model/memory/parameters.h"

namespace drywarp::machine {

// The pipelines to which a scheduler issues, by Nsight Compute's names.
enum class Pipe : uint8_t {
#define DW_PIPE(name, text, description) name,
#include "base/device/operations.def"
};

// SASS-like operations.
enum class Operation : uint16_t {
#define DW_OPERATION(name, mnemonic, pipe, timing) name,
#include "base/device/operations.def"
};

// The kind of operation for which a device file has a latency and an issue rate.
enum class TimingClass : uint8_t {
#define DW_TIMING_CLASS(name, key, description) name,
#include "base/device/operations.def"
};

// Functions of the system that a CALL can name.
enum class SystemCall : uint8_t {
  None,
#define DW_SYSTEM_CALL(name, key, function) name,
#include "model/machine/system_calls.def"
};
inline constexpr unsigned kSystemCalls = 1
#define DW_SYSTEM_CALL(name, key, function) +1
#include "model/machine/system_calls.def"
    ;
[[nodiscard]] SystemCall system_call(std::string_view function);  // None: it is no such function

struct OperationInfo {
  const char* mnemonic;  // "FFMA", "IMAD.WIDE", "LDG"
  Pipe pipe;
  TimingClass timing;
};
[[nodiscard]] const OperationInfo& info(Operation op);
[[nodiscard]] const char* name(Pipe pipe);          // "fma"
[[nodiscard]] const char* key(TimingClass timing);  // "fma_f32": as in [latency] and [issue] of a device file

inline constexpr uint32_t kNone = ~0u;
inline constexpr uint16_t kNoRegister = 0xffff;
inline constexpr uint64_t kNoConstant = ~uint64_t{0};
inline constexpr uint64_t kConstantBank = uint64_t{1} << 32;  // distance of two banks in MachineInstruction::constant

// Registers after allocation: 0 to 254 are 32-bit registers of a thread. A 64-bit value takes an aligned pair and is
// named by the lower register. Predicates 0 to 6 and uniform registers have their own numbers.
enum class RegisterFile : uint8_t { General, Predicate, Uniform, UniformPredicate };
struct RegisterRange {
  RegisterFile file = RegisterFile::General;
  uint16_t first = kNoRegister;
  uint8_t count = 0;  // 32-bit registers; 0: none
  explicit operator bool() const { return count != 0; }
  bool operator==(const RegisterRange&) const = default;
};
using RegisterRanges = OperandList<RegisterRange, RegisterRange{}, 4>;

// Whom a MEMBAR orders memory for. Sequential: for the device, and in one order with all others, as __threadfence() is.
enum class FenceReach : uint8_t { Block, Device, Sequential };
inline constexpr unsigned kFenceReaches = 3;

// Code that depends on whether all lanes of the warp are active. Elsewhere a branch leaves out what is for whole warps,
// and a predicate is off for what is for parts of warps.
enum class ActsIn : uint8_t { AllWarps, WholeWarps, PartsOfWarps };

struct MachineInstruction {
  Operation op{};
  RegisterRanges destination;  // more than one: a carry, a predicate, the parts of a matrix or of a texel
  RegisterRanges source;       // constants, immediates and the zero register are not listed
  RegisterRange guard;         // a predicate; none: not predicated
  bool guard_negated = false;  // it executes in lanes where the predicate is false
  // Memory.
  AddressSpace space = AddressSpace::None;
  uint8_t bytes = 0;                // per lane
  bool spill = false;               // a spill or reload that allocation added; the trace has no access for it ...
  uint32_t frame_word = 0;          // ... and this is the 32-bit word of each thread's local memory that it moves
  int16_t frame_step = 0;           // words by which it moves the stack pointer, from which frame_word counts
  bool past_l1 = false;             // a load that bypasses L1: volatile, relaxed, acquire, .cg, .cv
  uint64_t constant = kNoConstant;  // the first constant at a known address: bank x kConstantBank + offset
  bool one_lane = false;            // an atomic that one lane executes for all lanes of its warp with the same address
  bool ahead = false;               // a load before the program's loop around it: takes the first access there
  ActsIn acts_in = ActsIn::AllWarps;
  memory::AtomicKind atomic{};  // of a global atomic
  FenceReach fence{};           // of a MEMBAR
  SystemCall system{};          // of a CALL
  bool repeats_swap = false;    // the branch of a loop of compare-and-swaps that is one instruction in PTX
  bool rare_path = false;       // a branch to the subroutine for rare cases of a division or root
  bool reconverges = false;     // a branch: lanes that it parts wait for each other at a BSYNC
  // Asynchronous instructions.
  uint16_t columns = 0;           // of a product of a warp group
  bool factor_in_memory = false;  // ... whose first factor is in shared memory, as the second is
  bool ends_group = false;        // the last product of its group
  uint8_t pending = 0;            // a wait: groups that may stay unfinished
  bool for_copies = false;        // an arrival at a barrier object when the warp's asynchronous copies are done
  bool until_read = false;        // a wait for copies: until they have read what they copy
  // Origin.
  uint32_t ptx = kNone;  // index into KernelInfo::instructions; kNone: added by lowering (spills, unrolling)
  uint16_t step = 0;     // the step of its block's path
  // Index into LaunchCounts::accesses: its access in the trace, in step `step`. For a generic address: the first of
  // three; for cp.async: the read of global memory. Only the first machine instruction of a PTX instruction has one
  // (a 32-byte access is two instructions).
  uint32_t access = kNone;
  // If adjacent loads were merged into one of up to 16 bytes a lane: the accesses of the others, and their steps.
  uint32_t merged_access[3] = {kNone, kNone, kNone};
  uint16_t merged_step[3] = {};
  uint32_t line = 0, file = kNone;  // CUDA source, as in InstructionInfo
};

// One execution of one PTX block.
struct PathStep {
  uint32_t block = 0;     // index as in LaunchCounts::blocks and the trace
  bool optional = false;  // a predicated side: its instructions issue even if the trace lacks the block
};

inline constexpr unsigned kLongestPath = 64;  // in steps; the simulator ignores blocks with longer paths

struct MachineBlock {
  std::vector<PathStep> path;                    // never empty; the first step is not optional
  std::vector<MachineInstruction> instructions;  // in issue order
};

struct MachineKernel {
  std::string name;                  // mangled, as in KernelInfo
  uint32_t compute_capability = 90;  // the target of lowering
  uint32_t registers = 0;            // per thread, as ptxas -v counts them
  bool at_bounds = false;            // `registers` is the most that launch bounds or -maxrregcount allow
  uint32_t spill_store_bytes = 0, spill_load_bytes = 0;  // as ptxas -v counts them
  uint32_t spill_frame_bytes = 0;                        // local memory per thread for spills
  uint32_t barriers = 0;                                 // named barriers of a block
  uint32_t predicates = 0;
  uint32_t code_bytes = 0;
  // Sorted by the first block of the path, longer paths first. Every PTX block has a machine block whose path is that
  // block alone.
  std::vector<MachineBlock> blocks;
  // Of the instructions, in the order of `blocks`: "@P0 FFMA R5, R2, c[0x0][0x160], R5". Empty: not asked for.
  std::vector<std::string> texts;

  [[nodiscard]] uint64_t instruction_count() const;
};

}  // namespace drywarp::machine
