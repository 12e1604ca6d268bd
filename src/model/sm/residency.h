// How many blocks of a kernel an SM holds.
#pragma once

#include <cstdint>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "base/events/counts.h"

namespace drywarp::sm {

// What of a launch, beside its kernel, decides how many of its blocks fit on an SM.
struct BlockNeeds {
  uint64_t threads = 0;
  uint64_t dynamic_shared_bytes = 0;
  int carveout = -1;  // that the program requested, in percent of shared memory; -1: the driver's choice
};

// The kernel's resources only, without block size and dynamic shared memory.
[[nodiscard]] device::OccupancyRequest occupancy_request(const KernelInfo& kernel);
// The whole request. An estimated register count is capped at what a block of this size can have: an estimate must not
// forbid a block that runs on the GPU.
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         const BlockNeeds& needs);

// The occupancy on hardware, where the driver chooses a carve-out.
[[nodiscard]] device::Occupancy occupancy_of(const device::DeviceSpec& device, const KernelInfo& kernel,
                                             const BlockNeeds& needs);

}  // namespace drywarp::sm
