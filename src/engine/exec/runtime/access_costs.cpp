// What checked accesses cost, as counts.
#include <bit>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {

SharedOp shared_op(AddressSpace space, bool store) {
  if (store) return SharedOp::Store;
  return space == AddressSpace::Generic ? SharedOp::GenericLoad : SharedOp::Load;
}

AccessCounts cost(const Access& a, Memory memory) {
  AccessCounts c;
  c.requests = 1;
  c.lanes = static_cast<uint64_t>(std::popcount(a.mask));
  c.bytes = c.lanes * a.bytes;
  unsigned distinct = 0;
  if (a.atomic) {
    const AtomicAccess conflicts = analyze_atomic(a.addresses, a.mask, memory != Memory::Shared);
    c.atomic_addresses = distinct = conflicts.addresses, c.atomic_rounds = conflicts.max_same;
    if (memory != Memory::Shared) {
      c.units = conflicts.sectors;
      c.ideal_units = (c.bytes + kSectorBytes - 1) / kSectorBytes;
      c.unique_bytes = uint64_t{conflicts.addresses} * a.bytes;
      return c;
    }
  }
  if (memory == Memory::Shared) {
    const SharedAccess s =
        analyze_shared(a.addresses, a.mask, a.bytes, a.op, a.warp.worker->launch->shared_banks, distinct);
    c.units = s.wavefronts, c.ideal_units = s.ideal_wavefronts, c.ways = s.ways, c.unique_bytes = s.unique_bytes;
    return c;
  }
  GlobalAccess g;
  if (memory == Memory::Local) {
    alignas(64) uint64_t offsets[kWarpSize];
    const auto base = reinterpret_cast<uint64_t>(a.warp.local);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      offsets[lane] = a.addresses[lane] - base - lane * a.warp.local_stride;
    g = analyze_local(offsets, a.mask, a.bytes);
  } else {
    g = analyze_global(a.addresses, a.mask, a.bytes);
  }
  c.units = g.sectors, c.ideal_units = g.ideal_sectors, c.unique_bytes = g.unique_bytes;
  return c;
}

void count(const Access& a, const Window& first, bool all_in_one) {
  if (a.mask == 0 || !a.site || !a.warp.worker->launch->counters) return;
  const bool spread = a.warp.owner->cluster != nullptr;  // even atomics: over the blocks of the cluster
  if (all_in_one || a.space != AddressSpace::Generic || (a.atomic && !spread)) {
    if (first.counted) record_of(a.site, a.space, first.memory)->total += cost(a, first.memory);
    return;
  }
  uint32_t masks[kMemories] = {};
  for (uint32_t left = a.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const auto window = find_window(a.warp, a.space, a.addresses[lane], a.bytes);
    if (window && window->counted) masks[static_cast<unsigned>(window->memory)] |= 1u << lane;
  }
  for (unsigned m = 0; m < kMemories; ++m) {
    if (masks[m] == 0) continue;
    Access part = a;
    part.mask = masks[m];
    record_of(a.site, a.space, static_cast<Memory>(m))->total += cost(part, static_cast<Memory>(m));
  }
}

}  // namespace drywarp::exec
