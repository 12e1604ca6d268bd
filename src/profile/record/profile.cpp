#include "profile/record/profile.h"

#include <fmt/format.h>

#include "base/access/access_pattern.h"
#include "base/device/device_spec.h"

namespace drywarp::record {

std::string moves_of(const device::DeviceSpec& device) {
  const device::CoalescingNumbers& together = device.timing.coalescing;
  if (together.lanes && together.smallest_bytes && together.largest_bytes)
    return fmt::format("{} lanes' words together, in segments of {} to {} bytes", *together.lanes,
                       *together.smallest_bytes, *together.largest_bytes);
  const uint64_t sector = device.timing.l1.sector_bytes.value_or(kSectorBytes);
  if (device.timing.l1.caches_global.value_or(false) && sector != kSectorBytes)
    return fmt::format("global and local loads in pieces of {} bytes, and stores in {}", sector,
                       device.timing.l2.sector_bytes.value_or(kSectorBytes));
  return {};
}

}  // namespace drywarp::record
