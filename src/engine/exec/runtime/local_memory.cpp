#include "engine/exec/runtime/local_memory.h"

#include <algorithm>
#include <memory>

#include "base/access/lanes.h"
#include "base/support/round_up.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kAlignment = 16;  // of a thread's local memory, and of what is beside it

uint64_t own_base(const Warp& warp, uint32_t lane) {
  return reinterpret_cast<uint64_t>(warp.local) + lane * warp.local_stride;
}

uint64_t own_bytes(const Warp& warp) { return round_up(warp.worker->launch->local_bytes, kAlignment); }

bool is_beside(const Warp& warp, int64_t offset) {
  return offset >= -int64_t{kBeforeLocal} && offset < static_cast<int64_t>(own_bytes(warp) + kBehindLocal);
}

// From the start of the block's local memory.
uint64_t place_in_block(const Warp& warp, uint64_t address) {
  return address - reinterpret_cast<uint64_t>(warp.owner->local_storage.data());
}

bool of_another_thread(const Warp& warp, uint64_t address, uint64_t bytes) {
  const Launch& launch = *warp.worker->launch;
  const uint64_t place = place_in_block(warp, address);
  if (launch.local_bytes < bytes || place >= launch.local_stride * kWarpSize * launch.warps_per_block) return false;
  return place % launch.local_stride <= launch.local_bytes - bytes;
}

// Of a lane that goes elsewhere.
uint64_t place_of(const Access& a, uint32_t lane) {
  Warp& warp = a.warp;
  const int64_t offset = local_offset(a, lane);
  const auto own = static_cast<int64_t>(own_bytes(warp));
  if (!is_beside(warp, offset))
    return own_base(warp, lane) + place_in_block(warp, a.addresses[lane]) % warp.local_stride;
  if (offset >= 0 && offset < own) return own_base(warp, lane) + static_cast<uint64_t>(offset);
  constexpr uint64_t kBeside = kBeforeLocal + kBehindLocal;
  if (!warp.beside_local) warp.beside_local = std::make_unique<uint8_t[]>(kWarpSize * kBeside);
  const auto start = reinterpret_cast<uint64_t>(warp.beside_local.get()) + lane * kBeside + kBeforeLocal;
  return start + static_cast<uint64_t>(offset < 0 ? offset : offset - own);
}

}  // namespace

uint64_t local_stride(uint64_t bytes, bool apart) {
  const uint64_t own = round_up(bytes, kAlignment);
  if (bytes == 0 || !apart) return own;
  // An odd number of lines: lanes that access the same offset spread over all sets of the host's cache.
  constexpr uint64_t kHostLine = 64;
  return round_up(own + kBeforeLocal + kBehindLocal, kHostLine) | kHostLine;
}

Window local_window(const Warp& warp) {
  const auto local = reinterpret_cast<uint64_t>(warp.local);
  return {local, local + warp.local_stride * kWarpSize, Memory::Local, true, true};
}

bool in_own_local(const Warp& warp, uint32_t lane, uint64_t address, uint64_t bytes) {
  const uint64_t own = own_base(warp, lane);
  return Window{own, own + warp.worker->launch->local_bytes}.holds(address, bytes);
}

int64_t local_offset(const Access& a, uint32_t lane) {
  const uint64_t offset = a.addresses[lane] - own_base(a.warp, lane);
  return a.space == AddressSpace::Local ? static_cast<int32_t>(offset) : static_cast<int64_t>(offset);
}

bool near_local(const Warp& warp, uint64_t address) {
  return address - (own_base(warp, 0) - kBeforeLocal) < warp.local_stride * kWarpSize + kBeforeLocal + kBehindLocal;
}

Passage passage_of(const Access& a, uint32_t lane) {
  const Launch& launch = *a.warp.worker->launch;
  if (!launch.stray_accesses || !a.sparable) return Passage::None;
  switch (a.space) {
    case AddressSpace::Const:
    case AddressSpace::Param:
      return Passage::Lost;
    case AddressSpace::Local:
      // What is further away goes through for an array that a GPU keeps in registers.
      return is_beside(a.warp, local_offset(a, lane)) ? Passage::Elsewhere : Passage::Lost;
    case AddressSpace::Generic:
      if (launch.local_bytes == 0) return Passage::None;
      if (is_beside(a.warp, local_offset(a, lane))) return Passage::Elsewhere;
      return of_another_thread(a.warp, a.addresses[lane], a.bytes) ? Passage::Elsewhere : Passage::None;
    default:
      return Passage::None;
  }
}

const uint64_t* places_elsewhere(const Access& a, LanePlaces& places) {
  std::copy_n(a.addresses, kWarpSize, places.of);
  for_lanes(a.elsewhere, [&](uint32_t lane) { places.of[lane] = place_of(a, lane); });
  return places.of;
}

}  // namespace drywarp::exec
