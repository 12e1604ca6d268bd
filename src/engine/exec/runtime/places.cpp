#include "engine/exec/runtime/places.h"

#include <bit>

namespace drywarp::exec {
namespace {

constexpr uint64_t kAdoptedMemory = uint64_t{1} << 44;  // where adopted host memory starts, behind all other

// An address of global memory, counted from the start of the device's.
uint64_t device_offset(Warp& warp, uint64_t address) {
  const DeviceMemory& memory = *warp.worker->launch->memory;
  if (memory.reserves(address)) return address - memory.base();
  const auto allocation = memory.find(address);
  return allocation ? kAdoptedMemory + (allocation->id << 36) + (address - allocation->base) : address;
}

}  // namespace

void places_of(Warp& warp, Memory memory, const uint64_t* addresses, LaneMask lanes, uint64_t* places) {
  const auto shared = reinterpret_cast<uint64_t>(warp.shared), local = reinterpret_cast<uint64_t>(warp.local);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    switch (memory) {
      case Memory::Shared:
        places[lane] = addresses[lane] - shared;
        break;
      case Memory::Local:
        places[lane] = addresses[lane] - local - lane * warp.local_stride;
        break;
      case Memory::Global:
        places[lane] = device_offset(warp, addresses[lane]);
        break;
    }
  }
}

}  // namespace drywarp::exec
