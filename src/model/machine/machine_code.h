// A kernel as the GPU would issue it: PTX lowered to instructions of the kind, number and order that ptxas makes, with
// registers allocated. An estimate (no SASS is read), so everything that is computed from it is `modelled`.
//
// Plain structs: lowering/ writes them, timing/ and the reports read them; neither knows the other.
//
// What happens at run time comes from the trace of a launch (base/events/warp_trace.h): per warp, the blocks of the PTX
// kernel that it ran. A MachineBlock covers a path of such blocks: one block as a rule; the iterations of an unrolled
// loop; a branch with its sides, when short sides became predicated instructions. Timing follows the trace and takes at
// each point the machine block with the longest path that fits: see MachineKernel::blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/access/address_space.h"
#include "base/support/digest.h"

namespace drywarp::machine {

// The pipelines to which a scheduler issues, by Nsight Compute's names.
enum class Pipe : uint8_t {
#define DW_PIPE(name, text, description) name,
#include "model/machine/operations.def"
};

// SASS-like operations.
enum class Operation : uint16_t {
#define DW_OPERATION(name, mnemonic, pipe, timing) name,
#include "model/machine/operations.def"
};

// How long an operation's result takes: the key by which a device file gives latency and issue rate.
enum class TimingClass : uint8_t {
#define DW_TIMING_CLASS(name, key, description) name,
#include "model/machine/operations.def"
};

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
inline constexpr uint64_t kConstantBank = uint64_t{1} << 32;  // constants of one bank lie so far from another's

// Registers after allocation: 0 .. 254 are 32-bit registers of a thread; 64-bit values take an aligned pair, named by
// the lower. Predicates 0 .. 6 and uniform registers have numbers of their own.
enum class RegisterFile : uint8_t { General, Predicate, Uniform, UniformPredicate };
struct RegisterRange {
  RegisterFile file = RegisterFile::General;
  uint16_t first = kNoRegister;
  uint8_t count = 0;  // 32-bit registers; 0: none
  explicit operator bool() const { return count != 0; }
};

struct MachineInstruction {
  Operation op{};
  RegisterRange destination[2];  // the second: carry or predicate of an operation with two results
  RegisterRange source[4];       // constants, immediates and the zero register are not listed
  RegisterRange guard;           // a predicate; none: always
  // Memory.
  AddressSpace space = AddressSpace::None;
  uint8_t bytes = 0;                // a lane
  bool spill = false;               // a spill or a reload that allocation added: no access in the trace belongs to it
  bool past_l1 = false;             // a load that the L1 may not answer: volatile, relaxed, acquire, .cg, .cv
  uint64_t constant = kNoConstant;  // the first that it reads by a known address: bank x kConstantBank + offset
  bool one_lane = false;            // an atomic that one lane does for all of its warp that are at the same address
  // Where it comes from.
  uint32_t ptx = kNone;  // index into KernelInfo::instructions; kNone: added by lowering (spills, unrolling)
  uint16_t step = 0;     // which step of its block's path it belongs to
  // Index into LaunchCounts::accesses: the access of the trace that belongs to it (of a generic address the first of
  // the three; of cp.async the read of global memory), in step `step`. The first machine instruction of a memory
  // instruction has it; others that lowering had to add (a 32-byte access in two) have none.
  uint32_t access = kNone;
  // Adjacent loads that became one of up to 16 bytes a lane: the accesses of the others, in the same step.
  uint32_t merged_access[3] = {kNone, kNone, kNone};
  uint32_t line = 0, file = kNone;  // CUDA source, as in InstructionInfo
};

// A step of a path: one execution of one block of the PTX kernel.
struct PathStep {
  uint32_t block = 0;     // index as in LaunchCounts::blocks and the trace
  bool optional = false;  // a predicated side: its instructions issue whether or not the trace shows the block
};

inline constexpr unsigned kLongestPath = 64;  // steps: a trace is not followed along a longer one

struct MachineBlock {
  std::vector<PathStep> path;                    // never empty; the first step is not optional
  std::vector<MachineInstruction> instructions;  // in issue order
};

struct MachineKernel {
  std::string name;                                      // mangled, as in KernelInfo
  uint32_t compute_capability = 90;                      // it was lowered for
  uint32_t registers = 0;                                // a thread, as ptxas -v counts them
  bool at_bounds = false;                                // as many as launch bounds or -maxrregcount allow it
  uint32_t spill_store_bytes = 0, spill_load_bytes = 0;  // as ptxas -v counts them
  uint32_t spill_frame_bytes = 0;                        // of local memory a thread, that they take
  uint32_t barriers = 0;                                 // named ones, a block
  uint32_t predicates = 0;
  uint32_t code_bytes = 0;  // what the instruction caches hold
  // Sorted by the first block of the path, longer paths first. For every block of the PTX kernel there is one machine
  // block whose path is that block alone.
  std::vector<MachineBlock> blocks;

  [[nodiscard]] uint64_t instruction_count() const;
};

// All that the kernel says: two kernels with the same digest are the same.
void add(Digester& digester, const MachineKernel& kernel);

}  // namespace drywarp::machine
