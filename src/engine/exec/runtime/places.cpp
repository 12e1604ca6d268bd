#include "engine/exec/runtime/places.h"

#include <bit>

#include "base/access/lane_offsets.h"
#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kAdoptedMemory = uint64_t{1} << 44;  // where adopted host memory starts, behind all other

// An address of global memory, counted from the start of the device's.
uint64_t device_offset(const DeviceMemory& memory, uint64_t address) {
  if (memory.reserves(address)) return address - memory.base();
  const auto allocation = memory.find(address);
  return allocation ? kAdoptedMemory + (allocation->id << 36) + (address - allocation->base) : address;
}

// Padding between variables is no part of a place: what lies in it has the place that a GPU would access.
void leave_out_padding(const SharedLayout& layout, LaneMask lanes, uint64_t* places) {
  const observe::SharedVariable* last = nullptr;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const bool same = last && places[lane] >= last->first && (last->dynamic || places[lane] < last->end);
    if (!same) last = layout.before(places[lane]);
    if (last) places[lane] -= last->padding;
  }
}

}  // namespace

void places_of(Warp& warp, Memory memory, const uint64_t* addresses, LaneMask lanes, uint64_t* places) {
  const bool shared = memory == Memory::Shared;
  if (memory != Memory::Global) {
    lane_offsets(addresses, lanes, reinterpret_cast<uint64_t>(shared ? warp.shared : warp.local),
                 shared ? 0 : warp.local_stride, ~uint64_t{0}, places);
    const SharedLayout* const layout = shared ? warp.inside->code->shared_layout : nullptr;
    if (layout && layout->tells_apart()) leave_out_padding(*layout, lanes, places);
    return;
  }
  const DeviceMemory& device = *warp.worker->launch->memory;
  const LaneMask outside = lane_offsets(addresses, lanes, device.base(), 0, device.reserved(), places);
  for (LaneMask left = outside; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    places[lane] = device_offset(device, addresses[lane]);
  }
}

RemotePlace remote_place(const Block& owner, uint64_t address) {
  const uint64_t addresses[kWarpSize] = {address};
  uint64_t places[kWarpSize] = {};
  places_of(*owner.warps.front(), Memory::Shared, addresses, 1, places);
  return {owner.index, places[0]};
}

void tell_owner(const Warp& warp, uint64_t address, uint32_t bytes) {
  const Block* const owner = other_owner(warp, address, bytes);
  if (!owner || !has_listeners(*owner)) return;
  const auto offset = static_cast<uint32_t>(address - reinterpret_cast<uint64_t>(owner->shared));
  tell(*owner, &observe::BlockObserver::written_by_others,
       observe::RemoteWrite{bytes, remote_place(*owner, address).place, offset});
}

}  // namespace drywarp::exec
