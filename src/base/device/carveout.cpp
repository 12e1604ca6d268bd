#include "base/device/carveout.h"

#include <algorithm>

#include "base/support/round_up.h"

namespace drywarp::device {

uint64_t driver_carveout(const DeviceSpec& device, const OccupancyRequest& request, const Occupancy& fits) {
  if (request.carveout_percent || device.shared_carveouts.size() < 2) return fits.shared_capacity;
  const uint64_t unit = std::max<uint64_t>(device.shared_allocation_unit, 1);
  const uint64_t asked = request.static_shared_bytes + request.dynamic_shared_bytes + device.shared_reserved_per_block;
  const uint64_t per_block = round_up(asked, unit);
  uint64_t together = device.max_blocks_per_multiprocessor;
  for (const OccupancyLimiter limiter :
       {OccupancyLimiter::Warps, OccupancyLimiter::Blocks, OccupancyLimiter::Registers})
    together = std::min<uint64_t>(together, fits.limit[unsigned(limiter)]);
  uint64_t wanted = together * per_block;
  const uint64_t twice = std::min<uint64_t>(2 * together, device.max_blocks_per_multiprocessor) * per_block;
  if (request.threads_per_block < device.max_threads_per_block && 3 * twice <= 2 * device.shared_per_multiprocessor)
    wanted = twice;
  for (const uint32_t size : device.shared_carveouts)
    if (size != 0 && size >= wanted) return size;
  return device.shared_per_multiprocessor;
}

}  // namespace drywarp::device
