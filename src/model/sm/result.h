// The results of simulating one launch. All are modelled.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/machine/machine_model.h"
#include "model/memory/counts.h"

namespace drywarp::sm {

// Why a warp did not issue, by Nsight Compute's names (reference: its profiling guide, warp scheduler states).
enum class Stall : uint8_t {
#define DW_STALL(name, text, description) name,
#include "model/sm/stalls.def"
};
inline constexpr unsigned kStalls = 0
#define DW_STALL(name, text, description) +1
#include "model/sm/stalls.def"
    ;
[[nodiscard]] const char* name(Stall stall);  // "long_scoreboard"
[[nodiscard]] const char* description(Stall stall);

// Warp-cycles by reason.
using StallCycles = std::array<double, kStalls>;

// The cost of one PTX instruction (an index into KernelInfo::instructions).
struct InstructionTiming {
  uint64_t issued = 0;  // machine instructions, warp level
  StallCycles stalls{};
};

struct KernelTiming {
  // The whole launch, extrapolated if it was sampled.
  double seconds = 0;  // as the profiler's gpu__time_duration: with launch overhead, caches cold
  double cycles = 0;   // sm__cycles_elapsed
  // The simulated part only. Sums over SMs unless stated otherwise.
  double active_cycles = 0;            // SMs with at least one warp
  double scheduler_active_cycles = 0;  // the same of sub-partitions
  double warp_cycles = 0;              // resident warps
  uint64_t issued = 0;                 // machine instructions, warp level
  uint64_t thread_instructions = 0;
  double issue_active_cycles = 0;  // of sub-partitions: cycles in which they issued
  double eligible_warp_cycles = 0;
  std::array<double, machine::kPipes> pipe_busy{};  // of sub-partitions
  double tensor_instructions = 0;                   // issued to the tensor pipe
  double tma_instructions = 0;                      // issued to the unit for copies of many bytes
  StallCycles stalls{};
  std::vector<InstructionTiming> instructions;
  double shared_wavefronts = 0;
  // Of shared memory's loads and stores: machine instructions, warp level, and their wavefronts.
  uint64_t shared_loads = 0, shared_stores = 0;
  double shared_load_wavefronts = 0, shared_store_wavefronts = 0;
  // Instructions that move data between lanes or read special registers: one wavefront each, through the same stage.
  // Nsight Compute counts them with shared memory's.
  double lane_wavefronts = 0;
  double lsu_busy = 0;  // cycles in which a load-store unit took an instruction
  double adu_busy = 0;  // the same for the address divergence unit
  double l1_busy = 0;   // cycles in which an L1 looked up tags or moved data, the larger of the two
  memory::L1Counts l1;
  memory::L2Counts l2;
  memory::DramCounts dram;
  // Busy cycles of slices' ports and channels' buses.
  double l2_busiest = 0, l2_mean = 0, dram_busiest = 0, dram_mean = 0;
  double simulated_cycles = 0;

  // Sampling.
  uint64_t blocks = 0, simulated_blocks = 0;
  uint32_t simulated_sms = 0;  // fewer than the device has: a slice
  uint32_t blocks_per_sm = 0;  // resident at once
  double waves = 0;            // grid / (blocks_per_sm x SMs)
  double work = 0;             // SimulatedLaunch::work
  [[nodiscard]] double scale() const {
    if (work > 0) return 1 / work;
    return simulated_blocks == 0 ? 0 : static_cast<double>(blocks) / static_cast<double>(simulated_blocks);
  }
};

// Of the simulated part to the whole launch.
[[nodiscard]] std::vector<InstructionTiming> extrapolate(std::vector<InstructionTiming> instructions,
                                                         const KernelTiming& timing);

}  // namespace drywarp::sm
