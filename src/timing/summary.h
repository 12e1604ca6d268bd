// The figures of a launch's time, ready to show: what a profile keeps of a KernelTiming.
#pragma once

#include <array>
#include <vector>

#include "device/occupancy.h"
#include "timing/result.h"

namespace drywarp::timing {

struct Summary {
#define DW_TIMED_VALUE(member, description) double member = 0;
#include "timing/summary.def"
  // Warps of a scheduler that were in this state, for every instruction that it issued: as
  // smsp__average_warps_issue_stalled_<reason>_per_issue_active.
  std::array<double, kStalls> stalls_per_issue{};
};

[[nodiscard]] Summary summarize(const KernelTiming& timing, const MachineModel& model,
                                const machine::MachineKernel& code, const device::Occupancy& occupancy);

}  // namespace drywarp::timing
