// The numbers of a GPU that the timing model needs, from its device file, in cycles of the SM's clock.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/support/result.h"
#include "model/machine/machine_code.h"
#include "model/memory/parameters.h"

namespace drywarp::machine {

inline constexpr unsigned kPipes = 0
#define DW_PIPE(name, text, description) +1
#include "base/device/operations.def"
    ;

// A number that the device file lacks, and the number that the model uses instead.
struct StandIn {
  std::string number;  // "latency.convert"
  std::string by;      // "latency.transcendental"
  bool operator==(const StandIn&) const = default;
};

inline constexpr unsigned kTimingClasses = 0
#define DW_TIMING_CLASS(name, key, description) +1
#include "base/device/operations.def"
    ;

// A set of timing classes, a bit each.
using ClassSet = uint64_t;
constexpr ClassSet kEveryLaunch = 0;  // of a number that every launch needs
static_assert(kTimingClasses <= 64);
[[nodiscard]] constexpr ClassSet set_of(machine::TimingClass c) { return ClassSet{1} << unsigned(c); }
[[nodiscard]] ClassSet classes_of(const machine::MachineKernel& code);  // the classes of its instructions

// A number that the device file lacks.
struct Gap {
  std::string path;            // "latency.convert"
  std::string stand_in;        // the number used instead: "latency.transcendental"; empty: none
  ClassSet classes = 0;        // code with one of these needs it; 0: every launch does
  bool no_such_thing = false;  // GPUs of this compute capability lack the unit that the number describes
};

// Kinds of instructions that the compiler spaces: a warp issues the next only some cycles after the last.
enum class Spacing : uint8_t { None, LoadStore, Constant };
inline constexpr unsigned kSpacedKinds = 3;

struct MachineModel {
  std::string device;         // its name, for messages
  std::vector<Gap> gaps;      // in the order of the file's tables
  memory::Parameters memory;  // its l1.bytes is set for each launch: l1_bytes less shared memory
  uint64_t l1_bytes = 0;      // that hold data, of the L1 and shared memory together
  uint32_t sms = 0, sub_partitions = 0, max_warps_per_sm = 0, max_blocks_per_sm = 0;
  double sm_clock_hz = 0;

  // By TimingClass. Latency: from issue to the first dependent issue. Issue: cycles that a sub-partition's pipe is
  // busy.
  std::array<float, kTimingClasses> latency{}, issue{};

  double issue_interval = 1;         // of a scheduler, between two instructions
  double wide_product_interval = 1;  // the same behind a TimingClass::ImadWide
  bool dual_issue = false;           // a second instruction of the same warp can issue with the first
  bool register_banks = false;       // two banks, each reads one operand a cycle: register_banks.h
  bool one_arithmetic_pipe = false;  // alu and fma share their lanes
  bool shared_splits = false;        // shared memory moves 32 bits a lane at a time, as on GT200

  double shared_latency = 0, shared_atomic_latency = 0, shared_wavefronts_per_cycle = 1;  // of an SM
  double remote_latency = 0, remote_cycles = 0;  // shared memory of another block of the cluster
  double shared_conflict_cycles = 0;             // between two wavefronts of an instruction
  double shared_transaction_cycles = 0;          // that each further transaction of a wide load adds to its latency
  std::array<double, kSpacedKinds> spacing{};    // by Spacing: cycles between two instructions of a warp
  double load_store_per_cycle = 1;               // instructions of an SM: into the load-store unit
  double adu_interval = 0;                       // of an SM: between constant loads, barriers and similar; 0: no limit
  uint32_t memory_queue = 0;     // a sub-partition's queue in front of the load-store unit, instructions
  uint32_t unit_queue = 0;       // the load-store unit's own queue, instructions of all sub-partitions
  uint32_t loads_in_flight = 0;  // loads of an SM that wait for data from beyond its L1; 0: no bound
  // Of functions of the system: what one lane's call costs, and each further lane's.
  struct SystemCallCost {
    double instructions = 0, lane_instructions = 0, waiting_instructions = 0;
    double cycles = 0, lane_cycles = 0, first_cycles = 0;
    double device_cycles = 0, device_lane_cycles = 0;  // of the whole device: between two warps
  };
  std::array<SystemCallCost, kSystemCalls> system_calls{};
  double group_interval = 0;         // of a sub-partition: between two products of warp groups, however small
  double group_start_cycles = 0;     // what each of them holds the pipe beyond its own time
  double bulk_request_interval = 1;  // of an SM: between two requests of its unit for copies of many bytes
  double bulk_tensor_cycles = 0;     // more until the first request for a box of a tensor
  double bulk_store_latency = 0;     // from the last bytes that leave the SM to the end of a copy's group
  // Of a fence for the device behind nothing, and behind accesses to the near half of the L2; of an SM: between two.
  double fence_idle = 0, fence_behind = 0, fence_interval = 0;
  double barrier_latency = 0;      // last arrival to first issue
  double barrier_warp_cycles = 0;  // between the issues of two warps behind a barrier
  double barrier_wavefronts = 0;   // of the data pipe, half of them of shared memory, if warps accessed memory before
  double other_pipe_cycles = 0;    // beyond a fixed latency, if another pipe needs the result
  // Of the latency of a product with a 64-bit or high result: what only a factor of the next one waits for; how much
  // earlier than its high word the other pipe reads the low word.
  double wide_factor_cycles = 0, wide_low_cycles = 0;
  double branch_latency = 0;           // a taken branch to the next issue of the warp
  double branch_not_taken_cycles = 0;  // the same, if no lane takes the branch
  // The compiler lets no arithmetic result be under way where a basic block ends: beyond its latency, until the next
  // one.
  double block_end_cycles = 0;
  double call_latency = 0;             // a call or a return to the next issue of the warp
  double pointer_call_interval = 0;    // of an SM: between two calls through pointers
  double taken_branch_interval = 0;    // of a sub-partition: between two taken branches
  double divergence_cycles = 0;        // from the BSYNC of the first side's lanes to the next issue, of the other side
  double yield_latency = 0;            // a YIELD to the next issue of the warp
  double table_jump_latency = 0;       // a jump through a table to the next issue of the warp
  double table_divergence_cycles = 0;  // the same as divergence_cycles for further targets of such a jump
  double branch_predicate_cycles = 0;  // beyond its latency, until a predicate can guard an instruction
  // From an SM's first read of a constant line to its arrival: for constants of the launch and of the program.
  double constant_miss_cycles = 0, constant_far_cycles = 0;
  double constant_line_cycles = 0;  // between two lines that arrive at one SM
  uint32_t constant_line_bytes = 64;
  double match_value_cycles = 0;      // of MATCH.ANY: of each further value of the lanes, of 32 bits
  double constant_word_latency = 0;   // of LDC: of each further word of those that its lanes load
  double constant_word_interval = 0;  // ... for which it keeps the SM's unit
  double block_launch_cycles = 0;     // from a free slot to the first issue of a block's warps
  double block_interval_cycles = 0;   // between two blocks that start on one SM
  double dispatch_cycles = 0;         // between two blocks that the grid dispatches
  double warp_interval_cycles = 0;    // between the starts of two warps of a block
  uint64_t code_cache_bytes = 0;      // an SM's first-level instruction cache; 0: instructions never miss
  uint32_t code_cache_ways = 4;
  uint32_t instruction_bytes = 16;
  uint64_t second_code_cache_bytes = 0;  // the second level
  // Latency of a line of code that misses both levels; interval between lines that the second level delivers.
  double code_line_cycles = 0, next_code_line_cycles = 0;
  double launch_seconds = 0;     // an empty kernel's time, as the profiler measures it
  double launch_cycles = 0;      // from the launch to the arrival of the first line of code
  double first_code_cycles = 0;  // how long the first blocks wait for that line
  // What the end of a launch takes beyond an empty kernel's, if its multiprocessors read `end_bytes` from the L2 or
  // more.
  double end_cycles = 0, end_bytes = 0;
};

// Reads a device file. Never an error: `gaps` lists the missing numbers. Code can be timed if each number that it needs
// is known or has a stand-in.
MachineModel machine_model(const device::DeviceSpec& device);

// An error that names the missing numbers without stand-in that code of these classes needs.
[[nodiscard]] Status can_time(const MachineModel& model, ClassSet classes);
// The stand-ins of numbers that such code needs.
[[nodiscard]] std::vector<StandIn> stand_ins(const MachineModel& model, ClassSet classes);

// A slice of the machine: `sms` SMs with their share of L2 slices and capacity, the fabric, DRAM channels and block
// dispatch. All atomic units stay, each with a share of its time, so that contention for one address stays the same.
[[nodiscard]] MachineModel slice(const MachineModel& model, uint32_t sms);
// Models the lines that the slice shares with the rest of the `whole` machine: the rest fetches some of them first, and
// each takes L2 capacity only once.
void share_lines(MachineModel& part, const MachineModel& whole, double first_fetched);

// The memory system of machine_model(), with the largest possible L1. Errors name missing numbers of L1, L2 and DRAM.
struct MemoryModel {
  memory::Parameters parameters;
  std::vector<StandIn> stand_ins;
};
Result<MemoryModel> memory_model(const device::DeviceSpec& device);

// The DRAM of machine_model(), without the latency of a load, which includes the caches. Errors name missing numbers.
Result<memory::DramParameters> dram_parameters(const device::DeviceSpec& device);

}  // namespace drywarp::machine
