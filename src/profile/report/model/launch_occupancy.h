// The occupancy request of a launch, from its kernel's resources and its launch configuration.
#pragma once

#include <cstdint>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "base/events/counts.h"
#include "profile/record/profile.h"

namespace drywarp::report {

// The kernel's resources only, without block size and dynamic shared memory.
[[nodiscard]] device::OccupancyRequest occupancy_request(const KernelInfo& kernel);
// The whole request. An estimated register count is capped at what a block of this size can have: an estimate must not
// forbid a block that runs on the GPU. `carveout`: percent of shared memory that the program requested, -1: the
// driver's choice.
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         uint32_t threads_per_block, uint64_t dynamic_shared_bytes,
                                                         int carveout);
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         const LaunchRecord& launch);

}  // namespace drywarp::report
