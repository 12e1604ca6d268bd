// How much of a multiprocessor's unified memory the driver makes shared memory for a kernel that asks for no share.
#pragma once

#include <cstdint>

#include "base/device/occupancy.h"

namespace drywarp::device {

// NVIDIA does not publish the rule. As an H200's driver answered for 58 combinations of block size, registers and
// shared memory (launch__shared_mem_config_size in bench/accuracy/data/h200-kernels.csv): never less than the blocks
// need that the other limits let run together; room for as many blocks again, up to the most that a multiprocessor
// holds, if blocks are smaller than the largest and that leaves the L1 a third. The recorded size 49 times, one step
// away 8 times.
//
// `fits`: of the same request. A device without a choice answers what occupancy() says.
[[nodiscard]] uint64_t drivers_carveout(const DeviceSpec& device, const OccupancyRequest& request,
                                        const Occupancy& fits);

}  // namespace drywarp::device
