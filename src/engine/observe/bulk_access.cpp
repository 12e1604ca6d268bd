#include "engine/observe/observer.h"

#include <algorithm>

namespace drywarp::observe {

void as_accesses(const BulkAccess& bulk, const std::function<void(const Access&)>& tell) {
  constexpr uint32_t kWidest = 16;  // that plain accesses have
  uint64_t places[kWarpSize] = {}, addresses[kWarpSize] = {}, owners[kWarpSize] = {};
  Access access;
  access.warp = bulk.warp, access.access = bulk.access, access.memory = bulk.memory, access.kind = bulk.kind;
  access.lanes = LaneMask{1} << bulk.lane;
  access.places = places, access.addresses = addresses;
  access.remote = bulk.remote, access.owners = bulk.remote ? owners : nullptr;
  for (const BulkAccess::Piece& piece : bulk.pieces) {
    owners[bulk.lane] = piece.owner;
    for (uint32_t at = 0; at < piece.bytes; at += access.bytes) {
      access.bytes = std::min(kWidest, piece.bytes - at);
      places[bulk.lane] = piece.place + at, addresses[bulk.lane] = piece.address + at;
      tell(access);
    }
  }
}

}  // namespace drywarp::observe
