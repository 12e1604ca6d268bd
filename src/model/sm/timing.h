// How long a launch takes on a GPU, and what its warps wait for: an event-driven simulation of the recorded blocks on
// every SM at once, with one memory system; or on a slice of the machine: some of the SMs with their share of L2 and
// DRAM. The same input gives the same numbers, always.
//
// Conventions, those of Nsight Compute with its defaults: caches are cold, kernels run alone, the launch overhead is in
// the duration.
#pragma once

#include <functional>

#include "base/events/warp_trace.h"
#include "model/machine/machine_model.h"
#include "model/sm/result.h"

namespace drywarp::sm {

struct SimulatedLaunch {
  uint64_t blocks = 0;  // of the grid
  uint32_t threads_per_block = 0;
  uint32_t blocks_per_sm = 0;    // resident at once: device::Occupancy::blocks
  uint64_t shared_capacity = 0;  // the carve-out in effect, bytes
  uint32_t instructions = 0;     // KernelInfo::instructions.size()
  uint32_t sms = 0;              // to simulate; 0: all
  uint64_t simulated = 0;        // blocks of the trace to simulate; 0: as many as run on those SMs
  // The simulated blocks' share of what the whole grid executes; 0: as their share of its blocks. Blocks need not do
  // the same: of a triangle's, or of a grid that is larger than what is to be done, the first do more than the others.
  double work = 0;
};

// Called from time to time with how many of the blocks have begun, of how many; false: nobody waits for it any more. It
// may be empty, and costs nothing then.
using Watch = std::function<bool(uint64_t begun, uint64_t blocks)>;

// So many blocks of a grid run on `sms` of the SMs of a device.
[[nodiscard]] uint64_t blocks_on(uint64_t grid, uint32_t sms, uint32_t sms_of_device);

// Errors: blocks_per_sm is 0, the trace is empty though the grid is not, the model lacks what the code needs, or
// `watch` said to stop.
Result<KernelTiming> time_launch(const machine::MachineModel& model, const machine::MachineKernel& code,
                                 const LaunchTrace& trace, const SimulatedLaunch& shape, const Watch& watch = {});

}  // namespace drywarp::sm
