// Computes how long a launch takes on a GPU, and why its warps stall. An event-driven simulation runs the recorded
// blocks on all SMs at once with one memory system, or on a slice of the machine: some SMs with their share of L2 and
// DRAM. Equal inputs give equal results.
//
// As in Nsight Compute with its defaults, caches are cold (but see SimulatedLaunch::held), kernels run alone, and the
// duration includes the launch overhead.
#pragma once

#include <functional>

#include "base/events/warp_trace.h"
#include "model/machine/machine_model.h"
#include "model/sm/result.h"
#include "model/sm/timeline.h"

namespace drywarp::sm {

struct SimulatedLaunch {
  uint64_t blocks = 0;  // of the grid
  uint32_t threads_per_block = 0;
  uint32_t blocks_per_sm = 0;    // resident at once: device::Occupancy::blocks
  uint64_t shared_capacity = 0;  // the carve-out in effect, bytes
  uint32_t instructions = 0;     // KernelInfo::instructions.size()
  uint32_t sms = 0;              // to simulate; 0: all
  uint64_t simulated = 0;        // blocks of the trace to simulate; 0: as many as run on those SMs
  // The simulated blocks' share of the work of the grid; 0: their share of its blocks. Work may be uneven: in
  // triangular grids, and in grids that are larger than their data, the first blocks do more.
  double work = 0;
  // Of a launch within its program: the lines that earlier ones left in the L2. Empty: caches are cold. Not of a slice.
  std::vector<uint64_t> held = {};
};

// Called from time to time with the number of blocks that have started, of how many; returns false to stop the
// simulation. May be empty.
using Watch = std::function<bool(uint64_t begun, uint64_t blocks)>;

// The number of blocks of a grid that run on `sms` of a device's SMs.
[[nodiscard]] uint64_t blocks_on(uint64_t grid, uint32_t sms, uint32_t sms_of_device);

// `recorded`: gets what happened; null: nothing is recorded.
// Errors: blocks_per_sm is 0, the trace is empty though the grid is not, the model lacks what the code needs, or
// `watch` said to stop.
Result<KernelTiming> time_launch(const machine::MachineModel& model, const machine::MachineKernel& code,
                                 const LaunchTrace& trace, const SimulatedLaunch& launch, const Watch& watch = {},
                                 Timeline* recorded = nullptr);

}  // namespace drywarp::sm
