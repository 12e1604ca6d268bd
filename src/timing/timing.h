// How long a launch takes on a GPU, and what its warps wait for: an event-driven simulation of the recorded blocks on
// every SM at once, with one memory system. The same input gives the same numbers, always.
//
// Conventions, those of Nsight Compute with its defaults: caches are cold, kernels run alone, the launch overhead is in
// the duration.
#pragma once

#include "events/warp_trace.h"
#include "timing/machine_model.h"
#include "timing/result.h"

namespace drywarp::timing {

struct LaunchShape {
  uint64_t blocks = 0;  // of the grid
  uint32_t threads_per_block = 0;
  uint32_t blocks_per_sm = 0;    // resident at once: device::Occupancy::blocks
  uint64_t shared_capacity = 0;  // the carve-out in effect, bytes
  uint32_t instructions = 0;     // KernelInfo::instructions.size()
};

// Errors: blocks_per_sm is 0, the trace is empty though the grid is not, or the model lacks what the code needs.
Result<KernelTiming> time_launch(const MachineModel& model, const machine::MachineKernel& code,
                                 const LaunchTrace& trace, const LaunchShape& shape);

}  // namespace drywarp::timing
