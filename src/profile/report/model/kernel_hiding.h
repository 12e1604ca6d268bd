// Warps that a kernel has present against the warps that it needs to hide latency, from its counts: how many it needs
// follows from its instruction mix and its accesses; how many it has from its occupancy and its grid. As if every load
// went to device memory and every instruction needed the result before it: what caches and independent instructions
// save comes on top.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/device/latency_hiding.h"
#include "base/support/result.h"
#include "profile/record/profile.h"

namespace drywarp::report {

// The launches of one kernel with one configuration, together.
struct KernelHiding {
  std::string kernel;
  Extent grid, block;
  uint32_t dynamic_shared_bytes = 0, registers = 0;
  uint64_t launches = 0;

  // Present, of a multiprocessor.
  uint64_t warps_by_occupancy = 0;  // that its blocks' resources let be resident
  double warps_present = 0;         // ... and that the grid has, on average over multiprocessors

  // What it does.
  double arithmetic_latency = 0;         // cycles: the mean of its instructions without memory accesses
  uint64_t arithmetic_instructions = 0;  // warp instructions
  uint64_t requests = 0;                 // global loads, warp-wide
  double bytes_per_request = 0;          // whole sectors
  [[nodiscard]] double instructions_per_request() const {
    return requests == 0 ? 0 : double(arithmetic_instructions) / double(requests);
  }

  // Needed, of a multiprocessor.
  uint64_t warps_for_arithmetic = 0;  // that its schedulers always have an instruction to issue
  uint64_t warps_for_bandwidth = 0;   // that device memory is always busy; 0: it loads nothing
  uint64_t warps_for_issue = 0;       // that schedulers are always busy although every load takes the memory's latency
  uint64_t warps_needed = 0;          // one of the two is reached: more warps are then of no use
  [[nodiscard]] double hidden() const {  // of the latency, 0 to 1
    return warps_needed == 0 || warps_present >= double(warps_needed) ? 1 : warps_present / double(warps_needed);
  }
};

// One entry a kernel and configuration, in order of their first counted launch. Errors name numbers that the device
// file lacks.
Result<std::vector<KernelHiding>> kernel_hiding(const Profile& profile, const device::DeviceSpec& device,
                                                const device::HidingOptions& options);

}  // namespace drywarp::report
