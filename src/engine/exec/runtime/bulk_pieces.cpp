#include "engine/exec/runtime/bulk_pieces.h"

#include <algorithm>
#include <bit>

#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/denied_accesses.h"
#include "engine/exec/runtime/places.h"

namespace drywarp::exec {
namespace {

constexpr uint64_t kWidest = 16;

}  // namespace

bool may_access(const BulkSide& side, const ByteRange& range, std::vector<bool>& allowed) {
  const bool shared = side.space == AddressSpace::Shared, stores = side.kind != AccessKind::Load;
  const bool atomic = side.kind == AccessKind::Atomic;
  const auto holds = [&] {
    if (shared) return variable_window(side.warp, side.instruction, range.address).holds(range.address, range.bytes);
    const auto window = find_window(side.warp, side.space, range.address, range.bytes);
    const uint8_t wanted = atomic ? kMayAtomic : stores ? kMayWrite : kMayRead;
    return window && !window->stray && (!stores || window->writable) && (window->may & wanted) != 0;
  };
  if (holds()) return true;
  allowed.assign(range.bytes, true);
  bool all = true;
  uint64_t addresses[kWarpSize] = {};
  for (uint32_t at = 0, bytes = 0; at < range.bytes; at += bytes) {
    addresses[side.lane] = range.address + at;
    // As plain accesses are: of a power of two, at a multiple of it.
    const uint64_t fits = addresses[side.lane] | std::bit_floor(range.bytes - at) | kWidest;
    bytes = static_cast<uint32_t>(fits & -fits);
    Access part{side.warp, nullptr, side.space, side.instruction, addresses, 1u << side.lane, bytes, stores, atomic};
    bool one = false;
    check_lanes(part, &one);
    std::fill_n(allowed.begin() + at, bytes, part.mask != 0);
    all = all && part.mask != 0;
  }
  return all;
}

void refuse_copy(const BulkSide& side, const RefusedCopy& copy, FaultKind kind, std::string message) {
  uint64_t addresses[kWarpSize] = {};
  addresses[side.lane] = copy.address;
  const auto fault = [&] { return fault_at(side.warp, kind, side.instruction, side.lane, std::move(message)); };
  if (!side.warp.owner->spares) raise(side.warp, fault());
  const Access whole{side.warp,
                     nullptr,
                     side.space,
                     side.instruction,
                     addresses,
                     1u << side.lane,
                     copy.bytes,
                     side.kind != AccessKind::Load,
                     side.kind == AccessKind::Atomic};
  using Why = observe::Denial::Why;
  leave_out(whole, copy.unit != 0 ? Why::Misaligned : Why::BadCopy, whole.mask, fault, 0, copy.unit, copy.rule);
}

void tell_bulk(const BulkSide& side, uint32_t slot, const std::vector<ByteRange>& ranges) {
  Warp& warp = side.warp;
  if (side.remote && side.kind != AccessKind::Load)
    for (const ByteRange& range : ranges) tell_owner(warp, range.address, range.bytes);
  if (ranges.empty() || !has_listeners(*warp.owner) || !warp.worker->launch->kernel->options.events.accesses) return;
  observe::BulkAccess event;
  event.warp = warp.warp, event.lane = side.lane, event.kind = side.kind;
  event.access = static_cast<uint32_t>(warp.sites - warp.worker->sites.data()) + slot;
  event.remote = side.remote;
  event.memory = side.space == AddressSpace::Shared || side.remote ? Memory::Shared : Memory::Global;
  std::vector<observe::BulkAccess::Piece> pieces;
  for (const ByteRange& range : ranges) {
    uint64_t places[kWarpSize] = {}, addresses[kWarpSize] = {};
    if (const Block* const owner = side.remote ? other_owner(warp, range.address, 1) : nullptr) {
      const RemotePlace at = remote_place(*owner, range.address);
      pieces.push_back({at.place, range.address, range.bytes, at.owner});
      continue;
    }
    addresses[side.lane] = range.address;
    places_of(warp, event.memory, addresses, LaneMask{1} << side.lane, places);
    pieces.push_back({places[side.lane], range.address, range.bytes});
  }
  event.pieces = pieces;
  tell(*warp.owner, &observe::BlockObserver::bulk, event);
}

}  // namespace drywarp::exec
