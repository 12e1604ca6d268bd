// Scheduling, register allocation and spilling. They depend on each other: schedule_and_allocate() runs them together.
#pragma once

#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/live.h"

namespace drywarp::sass {

inline constexpr uint16_t kStackPointer = 1;
inline constexpr uint32_t kRegisterUnit = 8;  // registers are allocated to threads in units of this many
inline constexpr double kLoopWeight = 8;      // trip count that is assumed of each loop

// ---- allocate.cpp: physical registers for virtual ones
struct Allocation {
  std::vector<uint16_t> number;  // of each virtual register, in its file; machine::kNoRegister: none
  uint32_t general = 0, predicates = 0, uniform = 0;  // registers in use: highest number + 1
  // By region: the same of the general registers that it writes or reads last.
  std::vector<uint32_t> general_of;
  bool scanned_vectors = false;  // that could have been coloured
};
// `reserved`: the general register that no value may have (the stack pointer). `colours_vectors`: loaded vectors get
// registers together with what is live across regions, not around it.
Allocation allocate(const Kernel& kernel, const std::vector<Region>& regions, const LiveSets& live, uint16_t reserved,
                    bool colours_vectors = false);

// ---- schedule.cpp: orders a region's instructions to hide latencies, as far as registers allow
// `budget`: general registers that the order should not
// exceed. Under register pressure, orders with a shorter look-ahead are tried. The order with the fewest estimated
// cycles wins; of both ends, one from the end also if it is nearly as good, and ptxas's own unless it is much slower.
struct LiveAround {
  std::vector<Register> in, out;  // ascending: live before and behind the code
};
LiveAround live_around(const LiveSets& live, const Region& region);
enum class Orders : uint8_t { FromStart, FromStartOrPtxas, FromBothEnds };
// Returns the order's estimated cycles.
unsigned schedule(const Kernel& kernel, std::vector<Instruction>& code, const LiveAround& live, unsigned budget,
                  Orders orders);
// General registers that are live at once in the order that saves most.
unsigned least_pressure(const Kernel& kernel, const std::vector<Instruction>& code, const LiveAround& live);

// ---- share_constants.cpp: what is loaded again although its register still holds it is loaded once: of constants that
// were rematerialized, an order may have several in registers at once. No order needs more registers for it.
void share_constants(const Kernel& kernel, std::vector<Instruction>& code, const std::vector<Register>& live_out);

// ---- balance.cpp: moves, additions and left shifts become IMAD where the ALU pipe has more to do than the FMA pipe,
// as ptxas does from Volta on
void balance_pipes(const Kernel& kernel, std::vector<Region>& regions);

// ---- spill.cpp: takes values out of registers when there are too few
struct Spills {
  uint32_t store_bytes = 0, load_bytes = 0;  // per thread, each spill instruction of the code counted once
  uint32_t frame_bytes = 0;                  // of local memory per thread
};
// Spills to local memory, or rematerializes, until allocate() needs at most `most` general registers, or nothing helps
// any more. Values with the lowest cost go first: reads and writes weighted by loop depth, over the places with too few
// registers (Chaitin). Removes them from `live`. `allocation` is that of the input, then that of the result.
Spills spill(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
             Allocation& allocation);
// The same by rematerialization alone: of constants and parameters, or also of values a few instructions away from live
// registers.
enum class Rematerialized : uint8_t { Constants, All };
void rematerialize(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved, uint32_t most,
                   Rematerialized what, Allocation& allocation);

// ---- keep_predicates.cpp: where more than the seven predicates of the GPU are live, general registers keep those that
// are read last: a P2R where another value displaces one, an ISETP where it is read again. So does ptxas 13, in 16 of
// 16 generated kernels with as many of each; it makes no comparison again instead, nor later.

// Behind scheduling. `allocation` is that of the input, then that of the result.
void keep_predicates(Kernel& kernel, std::vector<Region>& regions, LiveSets& live, uint16_t reserved,
                     bool colours_vectors, Allocation& allocation);

// ---- called_function.cpp: saves registers at the start of a called function and restores them where it returns
// Returns the words of local memory that this takes: its frame.
uint32_t save_registers(Kernel& kernel, std::vector<Region>& regions, const LiveSets& live, Allocation& allocation);

// ---- schedule_and_allocate.cpp
struct AllocatedCode {
  std::vector<Region> regions;
  LiveSets live;
  Allocation allocation;
};
struct RegisterLimits {
  // Registers per thread to schedule for, ascending: each next one lets fewer blocks share a multiprocessor. The last
  // is the most that a thread may have.
  std::vector<uint32_t> steps{32, 255};
  uint32_t reserved = 2;         // of these, not for values
  uint32_t full_occupancy = 32;  // with these a multiprocessor holds as many warps as without registers
};
// Schedules and allocates `input` for the first step whose registers hold what the leanest order of the code needs, and
// some more for loads in flight; constants are rematerialized to get there. The order then uses all that the step
// gives.
AllocatedCode schedule_and_allocate(Kernel& kernel, AllocatedCode input, const RegisterLimits& limits);

// ---- order_in_places.cpp: orders each region once more, with registers in their places. In 802 loops of ptxas 13, the
// longest part that its order and ours have in common is 82 % of the instructions with it, and 76 % without.

// Whether an instruction is not written: its registers lie as it wants them.
inline bool becomes_nothing(const Kernel& kernel, const Allocation& allocation, const Instruction& c) {
  if (c.role == Role::Tuple) return true;
  if (c.role != Role::Copy || !c.source[0].is_register()) return false;
  const Register to = c.destination[0], from = c.source[0].reg;
  return kernel.registers[to].file == kernel.registers[from].file && allocation.number[to] == allocation.number[from];
}

// Behind spilling. Drops what becomes nothing.
void order_in_places(const Kernel& kernel, std::vector<Region>& regions, const Allocation& allocation);

// ---- pair_zeros.cpp: sums begin with zeros. Two of them in neighbouring registers are one CS2R: in ptxas 13's code
// for 1,087 kernels 2,351 are, and 2 zeros of such a pair are apart. Zeros are never copied there.

// After spill().
void pair_zeros(Kernel& kernel, std::vector<Region>& regions, Allocation& allocation);

}  // namespace drywarp::sass
