#include "engine/exec/runtime/places.h"

#include <bit>

namespace drywarp::exec {
namespace {

constexpr uint64_t kAdoptedMemory = uint64_t{1} << 44;  // where adopted host memory starts, behind all other

// An address of global memory, counted from the start of the device's.
uint64_t device_offset(const DeviceMemory& memory, uint64_t address) {
  if (memory.reserves(address)) return address - memory.base();
  const auto allocation = memory.find(address);
  return allocation ? kAdoptedMemory + (allocation->id << 36) + (address - allocation->base) : address;
}

// Of all lanes, without branches: most requests are of whole warps. `stride`: from a lane's memory to the next one's.
void subtract(const uint64_t* addresses, LaneMask lanes, uint64_t base, uint64_t stride, uint64_t* places) {
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    places[lane] = (lanes >> lane & 1) != 0 ? addresses[lane] - base - lane * stride : 0;
}

}  // namespace

void places_of(Warp& warp, Memory memory, const uint64_t* addresses, LaneMask lanes, uint64_t* places) {
  if (memory == Memory::Shared) return subtract(addresses, lanes, reinterpret_cast<uint64_t>(warp.shared), 0, places);
  if (memory == Memory::Local)
    return subtract(addresses, lanes, reinterpret_cast<uint64_t>(warp.local), warp.local_stride, places);
  const DeviceMemory& device = *warp.worker->launch->memory;
  const uint64_t base = device.base(), bytes = device.reserved();
  LaneMask outside = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) outside |= uint32_t{addresses[lane] - base >= bytes} << lane;
  subtract(addresses, lanes, base, 0, places);
  for (LaneMask left = outside & lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    places[lane] = device_offset(device, addresses[lane]);
  }
}

}  // namespace drywarp::exec
