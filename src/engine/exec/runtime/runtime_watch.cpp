// Called by watched code, before it accesses global memory: notes the access in the worker's log.
#include <bit>

#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/memory/conflict_watch.h"

using namespace drywarp;
using namespace drywarp::exec;

extern "C" {

void dw_watch(WarpContext* context, uint32_t space, void* lanes, uint32_t mask, uint32_t bytes, uint32_t elements,
              uint32_t kind, void* values) {
  Warp& warp = warp_of(context);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  if (static_cast<AddressSpace>(space) == AddressSpace::Generic) {
    const auto shared = reinterpret_cast<uint64_t>(warp.shared), local = reinterpret_cast<uint64_t>(warp.local);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
      const uint64_t address = addresses[std::countr_zero(left)];
      const bool own = address - shared < warp.shared_bytes || address - local < warp.local_stride * kWarpSize;
      if (own) mask &= ~(left & -left);
    }
  }
  if (mask == 0) return;
  ConflictWatch::Log& log = *warp.worker->log;
  switch (static_cast<jit::WatchKind>(kind)) {
    case jit::WatchKind::Load:
      return log.note(addresses, mask, bytes * elements, ConflictWatch::Use::Load);
    case jit::WatchKind::Store:
      return log.note_store(addresses, mask, bytes, elements, values);
    case jit::WatchKind::Atomic:
      return log.note(addresses, mask, bytes * elements, ConflictWatch::Use::Atomic);
  }
}

}  // extern "C"
