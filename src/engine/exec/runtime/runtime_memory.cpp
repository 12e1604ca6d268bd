// Loads and stores of generated code that are not plainly affine, or not yet checked and counted.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/access/access_pattern.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/kernels/loaded_module.h"
#include "engine/exec/memory/lane_moves.h"
#include "engine/exec/runtime/local_memory.h"

namespace drywarp::exec {
namespace {

// The addresses of an affine access: scale * extend(base + strides) + addend.
struct AffineLanes {
  uint32_t base, stride1, stride2, width;
  bool is_signed;
  uint64_t scale, addend;

  [[nodiscard]] int64_t extend(uint32_t value) const {
    return is_signed ? int64_t{static_cast<int32_t>(value)} : int64_t{value};
  }
  void addresses(uint64_t* out) const {
    const auto shift = static_cast<uint32_t>(std::countr_zero(width));
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      out[lane] =
          scale * static_cast<uint64_t>(extend(base + (lane & (width - 1)) * stride1 + (lane >> shift) * stride2)) +
          addend;
  }
  // No lane's index wraps around: generated code computes the same.
  [[nodiscard]] bool exact() const {
    int64_t low = extend(base), high = low;
    for (const int64_t far : {int64_t{static_cast<int32_t>(stride1)} * (width - 1),
                              int64_t{static_cast<int32_t>(stride2)} * (kWarpSize / width - 1)}) {
      low += std::min<int64_t>(far, 0);
      high += std::max<int64_t>(far, 0);
    }
    return is_signed ? low >= INT32_MIN && high <= INT32_MAX : low >= 0 && high <= int64_t{UINT32_MAX};
  }
};

// Writes the lanes' addresses; returns whether generated code computes the same. Shared addresses have 32 bits; higher
// bits are ignored.
bool place_lanes(const AffineLanes& lanes, const Warp& warp, AddressSpace space, uint64_t* out) {
  lanes.addresses(out);
  bool same = lanes.exact();
  if (space != AddressSpace::Shared) return same;
  const auto shared = reinterpret_cast<uint64_t>(warp.cluster_shared);
  for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
    const uint64_t place = shared + static_cast<uint32_t>(out[lane] - shared);
    same = same && place == out[lane];
    out[lane] = place;
  }
  return same;
}

// Checks an affine access lane by lane and counts it; keeps window and memo for the next one like it.
void affine_access(Access& a, const AffineLanes& lanes, bool exact) {
  bool all_in_one = false;
  const LaneMask wanted = a.mask;
  const Window window = check(a, &all_in_one);
  if (!a.site) return;
  exact = exact && a.mask == wanted;
  // Generated code uses the record of the memory that holds the first address: global or shared.
  const bool generic = a.space == AddressSpace::Generic;
  const bool remembers = all_in_one && exact && !window.remote && !(generic && window.memory == Memory::Local);
  if (!remembers) return count(a, window, all_in_one);
  AccessSite* const site = record_of(a.site, a.space, window.memory);
  if (window.memory != Memory::Local || generic) site->window_base = window.base, site->window_end = window.end;
  if (!a.warp.worker->launch->counters || !window.counted) return;
  const uint64_t base = lanes.scale * static_cast<uint64_t>(lanes.extend(lanes.base)) + lanes.addend;
  const uint64_t stride1 = lanes.scale * static_cast<uint64_t>(int64_t{static_cast<int32_t>(lanes.stride1)});
  const uint64_t stride2 =
      lanes.width == kWarpSize ? 0 : lanes.scale * static_cast<uint64_t>(int64_t{static_cast<int32_t>(lanes.stride2)});
  const uint64_t in_period = a.warp.worker->launch->shared_banks.period() - 1;
  uint64_t alignment = 31;
  if (a.space == AddressSpace::Shared) {
    alignment = jit::shared_alignment(a.warp.worker->launch->shared_banks.period(), a.op);
  } else if (a.space == AddressSpace::Local) {
    alignment = 0;
  } else {
    if (((stride1 | stride2) & 31) == 0) alignment = 0;
    if (generic && in_period > 31) alignment |= in_period;
  }
  const uint64_t key = uint64_t{a.mask} << 32 | (base & alignment);
  jit::AccessMemo& memo = site->memos[jit::memo_hash(key, stride1, stride2)];
  if (memo.key == key && memo.stride1 == static_cast<int64_t>(stride1) &&
      memo.stride2 == static_cast<int64_t>(stride2)) {
    ++memo.hits;  // only the window was new
    return;
  }
  flush(*site, memo);
  memo.key = key;
  memo.stride1 = static_cast<int64_t>(stride1);
  memo.stride2 = static_cast<int64_t>(stride2);
  memo.each = cost(a, window.memory);
  memo.hits = 1;
}

// Loads for the lanes that may; of the lanes in `wanted` that may not, the values are 0.
void load_spared(const Access& a, LaneMask wanted, uint32_t bytes, uint32_t elements, void* out) {
  if (a.mask != wanted) std::memset(out, 0, size_t{kWarpSize} * bytes * elements);
  LanePlaces places;
  load_lanes(places_of(a, places), a.mask, bytes, elements, out);
}
void store_spared(const Access& a, uint32_t bytes, uint32_t elements, const void* in) {
  LanePlaces places;
  store_lanes(places_of(a, places), a.mask, bytes, elements, in);
}

}  // namespace
}  // namespace drywarp::exec

using namespace drywarp;
using namespace drywarp::exec;

extern "C" {

void dw_check_reads(WarpContext* context, uint32_t instruction, void* lane_addresses, void* lane_counts, uint32_t mask,
                    uint32_t bytes) {
  Warp& warp = warp_of(context);
  const auto* addresses = static_cast<const uint64_t*>(lane_addresses);
  const auto* counts = static_cast<const int32_t*>(lane_counts);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    for (int32_t i = 0; i < counts[lane]; ++i) {
      uint64_t at[kWarpSize];
      at[lane] = addresses[lane] + uint64_t{bytes} * static_cast<uint32_t>(i);
      bool one = false;
      Access read{warp, nullptr, AddressSpace::Generic, instruction, at, 1u << lane, bytes};
      read.sparable = false;
      check_lanes(read, &one);
    }
  }
}

void dw_load_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, uint32_t base,
                    uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                    uint32_t bytes, uint32_t elements, void* out) {
  alignas(64) uint64_t addresses[kWarpSize];
  const AffineLanes lanes{base, stride1, stride2, how & 0xff, (how & 0x100) != 0, scale, addend};
  const auto space = static_cast<AddressSpace>(space_number);
  const bool exact = place_lanes(lanes, warp_of(context), space, addresses);
  Access access{warp_of(context),       site, space, instruction, addresses, mask, bytes * elements, false, false,
                shared_op(space, false)};
  access.origins = std::exchange(context->origins, nullptr);
  affine_access(access, lanes, exact);
  load_spared(access, mask, bytes, elements, out);
}

void dw_store_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, uint32_t base,
                     uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                     uint32_t bytes, uint32_t elements, void* in) {
  alignas(64) uint64_t addresses[kWarpSize];
  const AffineLanes lanes{base, stride1, stride2, how & 0xff, (how & 0x100) != 0, scale, addend};
  const auto space = static_cast<AddressSpace>(space_number);
  const bool exact = place_lanes(lanes, warp_of(context), space, addresses);
  Access access{warp_of(context), site, space, instruction,           addresses, mask,
                bytes * elements, true, false, shared_op(space, true)};
  access.origins = std::exchange(context->origins, nullptr);
  affine_access(access, lanes, exact);
  store_spared(access, bytes, elements, in);
}

void dw_load(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, void* lanes,
             uint32_t mask, uint32_t bytes, uint32_t elements, void* out) {
  const auto space = static_cast<AddressSpace>(space_number);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  Access access{warp_of(context),       site, space, instruction, addresses, mask, bytes * elements, false, false,
                shared_op(space, false)};
  access.origins = std::exchange(context->origins, nullptr);
  check_and_count(access);
  load_spared(access, mask, bytes, elements, out);
}

void dw_store(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, void* lanes,
              uint32_t mask, uint32_t bytes, uint32_t elements, void* in) {
  const auto space = static_cast<AddressSpace>(space_number);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  Access access{warp_of(context), site, space, instruction,           addresses, mask,
                bytes * elements, true, false, shared_op(space, true)};
  access.origins = std::exchange(context->origins, nullptr);
  check_and_count(access);
  store_spared(access, bytes, elements, in);
}

uint32_t dw_check_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number,
                         uint32_t base, uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale,
                         uint64_t addend, uint32_t mask, uint32_t bytes, uint32_t op) {
  alignas(64) uint64_t addresses[kWarpSize];
  const AffineLanes lanes{base, stride1, stride2, how & 0xff, (how & 0x100) != 0, scale, addend};
  const auto space = static_cast<AddressSpace>(space_number);
  const bool exact = place_lanes(lanes, warp_of(context), space, addresses);
  const bool writes = space == AddressSpace::Shared;
  Access access{warp_of(context),         site, space, instruction, addresses, mask, bytes, writes, false,
                static_cast<SharedOp>(op)};
  affine_access(access, lanes, exact);
  return access.mask;
}

uint32_t dw_check_lanes(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number,
                        void* lanes, uint32_t mask, uint32_t bytes, uint32_t op) {
  const auto space = static_cast<AddressSpace>(space_number);
  Access access{warp_of(context),
                site,
                space,
                instruction,
                static_cast<const uint64_t*>(lanes),
                mask,
                bytes,
                space == AddressSpace::Shared,
                false,
                static_cast<SharedOp>(op)};
  check_and_count(access);
  return access.mask;
}

void dw_copy_async(WarpContext* context, AccessSite* sites, uint32_t instruction, void* to, void* from, uint32_t mask,
                   uint32_t bytes, void* source_bytes, uint32_t op) {
  Warp& warp = warp_of(context);
  const auto* targets = static_cast<const uint64_t*>(to);
  const auto* sources = static_cast<const uint64_t*>(from);
  const auto* sizes = static_cast<const uint32_t*>(source_bytes);
  uint32_t reading = mask, whole = mask;
  if (sizes) {
    reading = whole = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      reading |= uint32_t{sizes[lane] != 0} << lane;
      whole |= uint32_t{sizes[lane] >= bytes} << lane;
    }
    reading &= mask, whole &= mask;
  }
  Access write{warp, sites, AddressSpace::Shared,     instruction, targets, mask, bytes,
               true, false, static_cast<SharedOp>(op)};
  check_and_count(write);
  Access read{warp, sites ? sites + 1 : nullptr, AddressSpace::Global, instruction, sources, reading, bytes};
  if (reading != 0) check_and_count(read);
  const LaneMask copied = write.mask & (read.mask | ~reading);
  if (whole == mask) return copy_lanes(targets, sources, copied, bytes);
  copy_partially(targets, sources, copied, sizes, bytes);
}

void dw_copy_lanes(void* to, void* from, uint32_t mask, uint32_t bytes) {
  copy_lanes(static_cast<const uint64_t*>(to), static_cast<const uint64_t*>(from), mask, bytes);
}

}  // extern "C"
