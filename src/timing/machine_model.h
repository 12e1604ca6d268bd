// What the timing model needs to know of a GPU, taken from its device file, in cycles of the SM's clock.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "device/device_spec.h"
#include "machine/machine_code.h"
#include "memsys/parameters.h"
#include "support/result.h"

namespace drywarp::timing {

inline constexpr unsigned kTimingClasses = 0
#define DW_TIMING_CLASS(name, key, description) +1
#include "machine/operations.def"
    ;

struct MachineModel {
  memsys::Parameters memory;  // L1 without what shared memory takes: see l1_bytes
  uint64_t l1_bytes = 0;      // L1 and shared memory together
  uint32_t sms = 0, sub_partitions = 0, max_warps_per_sm = 0, max_blocks_per_sm = 0;
  double sm_clock_hz = 0;

  // By TimingClass. Latency: issue to the first dependent issue. Issue: how long the pipe of a sub-partition is taken.
  std::array<float, kTimingClasses> latency{}, issue{};

  double shared_latency = 0, shared_atomic_latency = 0, shared_wavefronts_per_cycle = 1;  // of an SM
  double lsu_instructions_per_cycle = 1;  // of an SM: into the load-store unit
  uint32_t lsu_queue = 0;                 // instructions that wait for the load-store unit, a sub-partition
  double barrier_latency = 0;             // last arrival to first issue
  double barrier_warp_cycles = 0;
  double branch_latency = 0;         // a taken branch to the next issue of the warp
  double constant_miss = 0;          // a kernel's first reads of its parameters
  double block_launch_cycles = 0;    // from a free slot to the first issue of a block's warps
  double block_interval_cycles = 0;  // between two blocks that start on one SM
  double dispatch_cycles = 0;        // between two blocks that the grid hands out
  double warp_interval_cycles = 0;   // between the starts of two warps of a block in a sub-partition
  uint64_t code_cache_bytes = 0;     // of an SM's first level; 0: every instruction is there
  uint32_t code_cache_ways = 4;
  uint32_t instruction_bytes = 16;
  double code_line_cycles = 0;  // until a line of code that is not there has come
  double launch_seconds = 0;    // of an empty kernel, as the profiler measures a kernel's time
  double launch_cycles = 0;     // ... in cycles of the SM, before the first block starts
};

// Errors name every number that the device file lacks and that timing cannot do without.
Result<MachineModel> machine_model(const device::DeviceSpec& device);

// The memory system alone, as machine_model() has it, with as much L1 as the least shared memory leaves. Errors name
// what of L1, L2 and DRAM the file lacks.
Result<memsys::Parameters> memory_parameters(const device::DeviceSpec& device);

// DRAM alone, as machine_model() has it, but without a load's latency, which caches are part of. Errors name what the
// file lacks.
Result<memsys::DramParameters> dram_parameters(const device::DeviceSpec& device);

}  // namespace drywarp::timing
