// Occupancy of launches, and how much latency it hides.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/device/device_spec.h"
#include "base/device/latency_hiding.h"
#include "base/device/occupancy.h"
#include "base/events/counts.h"
#include "base/support/result.h"
#include "model/sm/residency.h"
#include "profile/record/profile.h"

namespace drywarp::report {

// As sm::occupancy_request, of a recorded launch.
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         const record::LaunchRecord& launch);

// ---- the warps that a kernel has (by occupancy and grid) against the warps that it needs to hide latency (by its
// instruction mix and accesses). Assumes that every load goes to device memory and every instruction depends on the one
// before: caches and independent instructions need fewer warps.

// The launches of one kernel with one configuration, together.
struct KernelHiding {
  std::string kernel;
  record::Extent grid, block;
  uint32_t dynamic_shared_bytes = 0, registers = 0;
  uint64_t launches = 0;

  // Present, per multiprocessor.
  uint64_t warps_by_occupancy = 0;
  double warps_present = 0;  // at most those of the grid, averaged over multiprocessors

  // Counted.
  double arithmetic_latency = 0;         // cycles: mean over its instructions without memory accesses
  uint64_t arithmetic_instructions = 0;  // warp instructions
  uint64_t requests = 0;                 // global loads, warp level
  double bytes_per_request = 0;          // whole sectors
  [[nodiscard]] double instructions_per_request() const {
    return requests == 0 ? 0 : double(arithmetic_instructions) / double(requests);
  }

  // Needed, per multiprocessor.
  uint64_t warps_for_arithmetic = 0;     // to keep schedulers busy with arithmetic alone
  uint64_t warps_for_bandwidth = 0;      // to keep device memory busy; 0: no loads
  uint64_t warps_for_issue = 0;          // to keep schedulers busy despite the latency of every load
  uint64_t warps_needed = 0;             // the smaller of the two: more warps do not help
  [[nodiscard]] double hidden() const {  // of the latency, 0 to 1
    return warps_needed == 0 || warps_present >= double(warps_needed) ? 1 : warps_present / double(warps_needed);
  }
};

// One entry per kernel and configuration, in order of the first counted launch. Errors name the numbers that the device
// file lacks.
Result<std::vector<KernelHiding>> kernel_hiding(const record::Profile& profile, const device::DeviceSpec& device,
                                                const device::HidingOptions& options);

}  // namespace drywarp::report
