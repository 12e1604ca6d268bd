// What the timing model needs to know of a GPU, taken from its device file, in cycles of the SM's clock.
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
#include "model/machine/operations.def"
    ;

// A number of the device that nobody published, and what the model took in its place.
struct StandIn {
  std::string number;  // "latency.convert"
  std::string by;      // "latency.transcendental"
  bool operator==(const StandIn&) const = default;
};

inline constexpr unsigned kTimingClasses = 0
#define DW_TIMING_CLASS(name, key, description) +1
#include "model/machine/operations.def"
    ;

// A set of timing classes, a bit each.
using ClassSet = uint64_t;
static_assert(kTimingClasses <= 64);
[[nodiscard]] constexpr ClassSet set_of(machine::TimingClass c) { return ClassSet{1} << unsigned(c); }
[[nodiscard]] ClassSet classes_of(const machine::MachineKernel& code);  // that its instructions belong to

// A number that the device file lacks.
struct Gap {
  std::string path;            // "latency.convert"
  std::string stand_in;        // what the model takes instead: "latency.transcendental"; empty: nothing can
  ClassSet classes = 0;        // code with one of these needs it; 0: every launch does
  bool no_such_thing = false;  // GPUs of this compute capability have nothing that the number could speak of
};

// Kinds of instructions of which a warp issues one only some cycles after the last.
enum class Apart : uint8_t { None, LoadStore, Constant };
inline constexpr unsigned kAparts = 3;

struct MachineModel {
  std::string device;         // as the file names it, for messages
  std::vector<Gap> gaps;      // in the order of the file's tables
  memory::Parameters memory;  // L1 without what shared memory takes: see l1_bytes
  uint64_t l1_bytes = 0;      // L1 and shared memory together
  uint32_t sms = 0, sub_partitions = 0, max_warps_per_sm = 0, max_blocks_per_sm = 0;
  double sm_clock_hz = 0;

  // By TimingClass. Latency: issue to the first dependent issue. Issue: how long the pipe of a sub-partition is taken.
  std::array<float, kTimingClasses> latency{}, issue{};

  double issue_interval = 1;         // of a scheduler, between two instructions
  double wide_product_interval = 1;  // ... behind a TimingClass::ImadWide
  bool dual_issue = false;           // a second one of the same warp goes with the first, if it can
  bool register_banks = false;       // two, each of which gives one operand a cycle: register_banks.h
  bool one_arithmetic_pipe = false;  // alu and fma are the same lanes
  bool shared_splits = false;        // shared memory takes 32 bits a lane at a time, as GT200's does

  double shared_latency = 0, shared_atomic_latency = 0, shared_wavefronts_per_cycle = 1;  // of an SM
  std::array<double, kAparts> apart{};    // by Apart: from one instruction of a warp to its next
  double lsu_instructions_per_cycle = 1;  // of an SM: into the load-store unit
  double adu_interval = 0;                // of an SM: between constant loads, barriers and the like; 0: no limit
  uint32_t memory_queue = 0;              // instructions of a sub-partition that wait for the load-store unit ...
  uint32_t unit_queue = 0;                // ... beside so many of all that it holds
  double barrier_latency = 0;             // last arrival to first issue
  double barrier_warp_cycles = 0;
  double barrier_wavefronts = 0;    // of the data pipe, half of them shared memory's, if warps that meet reached memory
  double other_pipe_cycles = 0;     // beyond a fixed latency, where another pipe needs the result
  double branch_latency = 0;        // a taken branch to the next issue of the warp
  double branch_passed_cycles = 0;  // the same, of one that no lane takes
  double parting_cycles = 0;        // from where lanes wait to be met to the next issue, of those that they wait for
  double table_jump_latency = 0;    // a jump through a table to the next issue of the warp
  double table_parting_cycles = 0;  // as parting_cycles, of the further targets of such a jump
  double branch_predicate_cycles = 0;  // beyond its latency, until a predicate can guard an instruction
  // From an SM's first read of a line of constants until it is there: of the launch's own, and of the program's.
  double constant_miss_cycles = 0, constant_far_cycles = 0;
  double constant_line_cycles = 0;  // between two lines that come to one SM
  uint32_t constant_line_bytes = 64;
  double block_launch_cycles = 0;    // from a free slot to the first issue of a block's warps
  double block_interval_cycles = 0;  // between two blocks that start on one SM
  double dispatch_cycles = 0;        // between two blocks that the grid hands out
  double warp_interval_cycles = 0;   // between the starts of two warps of a block
  uint64_t code_cache_bytes = 0;     // of an SM's first level; 0: every instruction is there
  uint32_t code_cache_ways = 4;
  uint32_t instruction_bytes = 16;
  uint64_t second_code_cache_bytes = 0;  // of the second level
  // Until a line of code that is in no cache of the SM has come; between lines that come from the second level, one
  // after the other.
  double code_line_cycles = 0, next_code_line_cycles = 0;
  double launch_seconds = 0;     // of an empty kernel, as the profiler measures a kernel's time
  double launch_cycles = 0;      // ... in cycles of the SM, before the first block starts
  double first_code_cycles = 0;  // so long before that the first blocks are there, and wait for the first line of code
};

// What a device file says of the machine. Never an error: what it lacks is in `gaps`, and code that needs none of that
// without a stand-in can be timed.
MachineModel machine_model(const device::DeviceSpec& device);

// An error that names what the model lacks for code of these classes and nothing stands in for.
[[nodiscard]] Status can_time(const MachineModel& model, ClassSet classes);
// What stands in for numbers that such code needs.
[[nodiscard]] std::vector<StandIn> stand_ins(const MachineModel& model, ClassSet classes);

// So many of the SMs with their share of what all SMs share: L2's slices and capacity, the fabric in it, DRAM's
// channels, the handing out of blocks. Atomic units stay as many, each with its share of time, so that an address that
// all SMs want is as crowded as it was.
[[nodiscard]] MachineModel slice(const MachineModel& model, uint32_t sms);
// Other parts of the `whole` machine come first with some of the lines that this part reads; what several read takes
// room in the L2 once.
void share_lines(MachineModel& part, const MachineModel& whole, double first_asked);

// The memory system alone, as machine_model() has it, with as much L1 as the least shared memory leaves. Errors name
// what of L1, L2 and DRAM the file lacks.
struct MemoryModel {
  memory::Parameters parameters;
  std::vector<StandIn> stand_ins;
};
Result<MemoryModel> memory_model(const device::DeviceSpec& device);

// DRAM alone, as machine_model() has it, but without a load's latency, which caches are part of. Errors name what the
// file lacks.
Result<memory::DramParameters> dram_parameters(const device::DeviceSpec& device);

}  // namespace drywarp::machine
