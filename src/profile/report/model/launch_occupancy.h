// What the occupancy algorithm is asked about a launch: the one way from a kernel's resources and a launch's shape to
// it.
#pragma once

#include <cstdint>

#include "base/device/device_spec.h"
#include "base/device/occupancy.h"
#include "base/events/counts.h"
#include "profile/record/profile.h"

namespace drywarp::report {

// What the algorithm needs to know of a kernel; the block's threads and dynamic shared memory are the launch's.
[[nodiscard]] device::OccupancyRequest occupancy_request(const KernelInfo& kernel);
// The same with as many registers as a block of so many threads can have, if the number is an estimate: our allocator's
// word must not forbid a block that the program runs with on a GPU. `carveout`: percent of shared memory that the
// program asked for, -1: the driver's choice.
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         uint32_t threads_per_block, uint64_t dynamic_shared_bytes,
                                                         int carveout);
[[nodiscard]] device::OccupancyRequest occupancy_request(const device::DeviceSpec& device, const KernelInfo& kernel,
                                                         const LaunchRecord& launch);

}  // namespace drywarp::report
