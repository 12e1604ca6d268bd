// The shared-memory carve-out that the driver chooses for a kernel without a preference.
#pragma once

#include <cstdint>

#include "base/device/occupancy.h"

namespace drywarp::device {

// NVIDIA does not publish the rule. This one is fitted to an H200's driver on 58 combinations of block size, registers
// and shared memory (launch__shared_mem_config_size in bench/accuracy/data/h200-kernels.csv): enough for the blocks
// that the other limits allow; room for twice as many, up to the block limit, if blocks are smaller than the largest
// and the L1 keeps a third. It gives the recorded size 49 times and is one step off 8 times.
//
// `fits`: occupancy() of the same request, which is also the answer for a device without a choice.
[[nodiscard]] uint64_t driver_carveout(const DeviceSpec& device, const OccupancyRequest& request,
                                       const Occupancy& fits);

}  // namespace drywarp::device
