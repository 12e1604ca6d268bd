// Called by code that reports what it does: tells the observers of the warp's block.
#include <algorithm>
#include <bit>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/runtime/accesses.h"
#include "engine/observe/observer.h"

using namespace drywarp;
using namespace drywarp::exec;

namespace {

constexpr uint64_t kAdoptedMemory = uint64_t{1} << 44;  // where adopted host memory starts, behind all other

// An address of global memory, counted from the start of the device's.
uint64_t device_offset(Warp& warp, uint64_t address) {
  const DeviceMemory& memory = *warp.worker->launch->memory;
  if (memory.reserves(address)) return address - memory.base();
  const auto allocation = memory.find(address);
  return allocation ? kAdoptedMemory + (allocation->id << 36) + (address - allocation->base) : address;
}

Memory memory_at(Warp& warp, AddressSpace space, uint64_t address) {
  switch (space) {
    case AddressSpace::Shared:
      return Memory::Shared;
    case AddressSpace::Local:
      return Memory::Local;
    case AddressSpace::Generic: {
      const auto window = find_window(warp, space, address, 1);
      return window ? window->memory : Memory::Global;
    }
    default:
      return Memory::Global;
  }
}

// Tells every observer of the warp's block.
template <class Event>
void tell(const Warp& warp, void (observe::BlockObserver::*what)(const Event&), const Event& event) {
  for (const auto& observer : warp.owner->observers)
    if (observer && !observer->has_left()) (observer.get()->*what)(event);
}

// The lanes of one memory.
void tell_access(Warp& warp, observe::Access access) {
  alignas(64) uint64_t places[kWarpSize] = {};
  const auto shared = reinterpret_cast<uint64_t>(warp.shared), local = reinterpret_cast<uint64_t>(warp.local);
  switch (access.memory) {
    case Memory::Shared:
      for (uint32_t lane = 0; lane < kWarpSize; ++lane) places[lane] = access.addresses[lane] - shared;
      break;
    case Memory::Local:
      for (uint32_t lane = 0; lane < kWarpSize; ++lane)
        places[lane] = access.addresses[lane] - local - lane * warp.local_stride;
      break;
    case Memory::Global:
      for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
        const auto lane = std::countr_zero(left);
        places[lane] = device_offset(warp, access.addresses[lane]);
      }
      break;
  }
  access.places = places;
  tell(warp, &observe::BlockObserver::access, access);
}

}  // namespace

extern "C" {

void dw_step(WarpContext* context, uint32_t block, uint32_t mask) {
  const Warp& warp = warp_of(context);
  // The counters of a really called function are a part of the kernel's.
  const auto first = static_cast<uint32_t>(warp.blocks - warp.worker->blocks.data());
  tell(warp, &observe::BlockObserver::step, observe::Step{warp.warp, first + block, mask});
}

void dw_access(WarpContext* context, uint32_t slot, uint32_t space_number, void* lanes, uint32_t mask, uint32_t bytes,
               uint32_t kind) {
  Warp& warp = warp_of(context);
  const auto listens = [](const auto& observer) { return observer && !observer->has_left(); };
  if (mask == 0 || std::ranges::none_of(warp.owner->observers, listens)) return;
  const auto space = static_cast<AddressSpace>(space_number);
  observe::Access access;
  access.warp = warp.warp;
  access.access = static_cast<uint32_t>(warp.sites - warp.worker->sites.data()) + slot;
  access.generic = space == AddressSpace::Generic;
  access.kind = static_cast<AccessKind>(kind);
  access.bytes = bytes;
  access.addresses = static_cast<const uint64_t*>(lanes);
  LaneMask masks[kMemories] = {};
  if (access.generic) {
    for (LaneMask left = mask; left != 0; left &= left - 1)
      masks[unsigned(memory_at(warp, space, access.addresses[std::countr_zero(left)]))] |= left & -left;
  } else {
    masks[unsigned(memory_at(warp, space, access.addresses[std::countr_zero(mask)]))] = mask;
  }
  for (unsigned m = 0; m < kMemories; ++m) {
    if (masks[m] == 0) continue;
    access.memory = static_cast<Memory>(m), access.lanes = masks[m];
    tell_access(warp, access);
  }
}

void dw_arrive(WarpContext* context, uint32_t barrier, uint32_t threads, uint32_t mask) {
  const Warp& warp = warp_of(context);
  tell(warp, &observe::BlockObserver::arrival, observe::Arrival{warp.warp, barrier, threads, mask});
}

}  // extern "C"
