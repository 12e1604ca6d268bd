// Loads and stores of generated code that are not plainly affine, or not yet checked and counted.
#include <bit>
#include <cstring>

#include "events/access_pattern.h"
#include "exec/address_check.h"
#include "exec/loaded_module.h"
#include "exec/runtime.h"

namespace drywarp::exec {
namespace {

using jit::AddressSpace;

// What one access costs, as counts to be added.
AccessCounts cost(Warp& warp, Memory memory, const uint64_t* addresses, uint32_t mask, uint32_t bytes, SharedOp op) {
  AccessCounts c;
  c.requests = 1;
  c.lanes = static_cast<uint64_t>(std::popcount(mask));
  c.bytes = c.lanes * bytes;
  if (memory == Memory::Shared) {
    const SharedAccess s = analyze_shared(addresses, mask, bytes, op);
    c.units = s.wavefronts, c.ideal_units = s.ideal_wavefronts, c.ways = s.ways, c.unique_bytes = s.unique_bytes;
    return c;
  }
  GlobalAccess g;
  if (memory == Memory::Local) {
    alignas(64) uint64_t offsets[kWarpSize];
    const auto base = reinterpret_cast<uint64_t>(warp.local);
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) offsets[lane] = addresses[lane] - base - lane * warp.local_stride;
    g = analyze_local(offsets, mask, bytes);
  } else {
    g = analyze_global(addresses, mask, bytes);
  }
  c.units = g.sectors, c.ideal_units = g.ideal_sectors, c.unique_bytes = g.unique_bytes;
  return c;
}

SharedOp shared_op(AddressSpace space, bool store) {
  if (store) return SharedOp::Store;
  return space == AddressSpace::Generic ? SharedOp::GenericLoad : SharedOp::Load;
}

void flush(AccessSite& site, jit::AccessMemo& memo) {
  if (memo.hits == 0) return;
  AccessCounts sum = memo.each;
  for (uint64_t* field : {&sum.requests, &sum.lanes, &sum.bytes, &sum.unique_bytes, &sum.units, &sum.ideal_units,
                          &sum.atomic_addresses, &sum.atomic_rounds})
    *field *= memo.hits;
  memo.hits = 0;
  site.total += sum;
}

// The record of a site for the memory that was found: generic accesses have one for each.
AccessSite* record(AccessSite* site, AddressSpace space, Memory memory) {
  return space == AddressSpace::Generic ? site + static_cast<unsigned>(memory) : site;
}

// Counts an access of any pattern, memory by memory for a generic one whose lanes are spread.
void count(Warp& warp, AccessSite* site, AddressSpace space, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
           const Window& first, bool all_in_one, SharedOp op) {
  if (!site || !warp.worker->launch->counters) return;
  if (all_in_one || space != AddressSpace::Generic) {
    if (first.counted) record(site, space, first.memory)->total += cost(warp, first.memory, addresses, mask, bytes, op);
    return;
  }
  uint32_t masks[kMemories] = {};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const auto window = find_window(warp, space, addresses[lane], bytes);
    if (window && window->counted) masks[static_cast<unsigned>(window->memory)] |= 1u << lane;
  }
  for (unsigned m = 0; m < kMemories; ++m)
    if (masks[m] != 0)
      record(site, space, static_cast<Memory>(m))->total +=
          cost(warp, static_cast<Memory>(m), addresses, masks[m], bytes, op);
}

// Checks with the site's window first; keeps the new window there if every lane is in one.
Window check(Warp& warp, AccessSite* site, AddressSpace space, const uint64_t* addresses, uint32_t mask, uint32_t bytes,
             bool store, uint32_t instruction, bool* all_in_one) {
  if (site && site->window_base < site->window_end) {
    const uint64_t base = site->window_base, room = site->window_end - base - bytes;
    uint64_t bad = 0;
    for (uint32_t lane = 0; lane < kWarpSize; ++lane) {
      const uint64_t at = addresses[lane];
      bad |= static_cast<uint64_t>((at - base > room) | ((at & (bytes - 1)) != 0)) & (mask >> lane & 1);
    }
    if (bad == 0 && site->window_end - base >= bytes) {
      *all_in_one = true;
      return {site->window_base, site->window_end, Memory::Global, space != AddressSpace::Const, true};
    }
  }
  Window window = check_lanes(warp, space, addresses, mask, bytes, store, instruction, all_in_one);
  const bool keeps = *all_in_one && window.memory == Memory::Global && window.counted &&
                     (space == AddressSpace::Global || space == AddressSpace::Generic);
  if (site && keeps) site->window_base = window.base, site->window_end = window.end;
  return window;
}

template <class T>
void gather(const uint64_t* addresses, uint32_t mask, uint32_t count, void* out) {
  auto* values = static_cast<T*>(out);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    for (uint32_t c = 0; c < count; ++c)
      std::memcpy(&values[c * kWarpSize + lane], reinterpret_cast<const T*>(addresses[lane]) + c, sizeof(T));
  }
}

template <class T>
void scatter(const uint64_t* addresses, uint32_t mask, uint32_t count, const void* in) {
  const auto* values = static_cast<const T*>(in);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    for (uint32_t c = 0; c < count; ++c)
      std::memcpy(reinterpret_cast<T*>(addresses[lane]) + c, &values[c * kWarpSize + lane], sizeof(T));
  }
}

void move_in(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements, void* out) {
  switch (bytes) {
    case 1:
      return gather<uint8_t>(addresses, mask, elements, out);
    case 2:
      return gather<uint16_t>(addresses, mask, elements, out);
    case 4:
      return gather<uint32_t>(addresses, mask, elements, out);
    case 8:
      return gather<uint64_t>(addresses, mask, elements, out);
    default:
      return gather<unsigned __int128>(addresses, mask, elements, out);
  }
}

void move_out(const uint64_t* addresses, uint32_t mask, uint32_t bytes, uint32_t elements, const void* in) {
  switch (bytes) {
    case 1:
      return scatter<uint8_t>(addresses, mask, elements, in);
    case 2:
      return scatter<uint16_t>(addresses, mask, elements, in);
    case 4:
      return scatter<uint32_t>(addresses, mask, elements, in);
    case 8:
      return scatter<uint64_t>(addresses, mask, elements, in);
    default:
      return scatter<unsigned __int128>(addresses, mask, elements, in);
  }
}

// What the addresses of an affine access are made of.
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

// Checks an affine access lane by lane and counts it; keeps window and memo for the next one like it.
void affine_access(Warp& warp, AccessSite* site, uint32_t instruction, AddressSpace space, const AffineLanes& lanes,
                   uint32_t mask, uint32_t bytes, bool store, uint64_t* addresses) {
  lanes.addresses(addresses);
  bool all_in_one = false;
  const Window window = check(warp, site, space, addresses, mask, bytes, store, instruction, &all_in_one);
  if (!site) return;
  const SharedOp op = shared_op(space, store);
  // The memos are the first record's; they speak of shared memory only where the instruction does.
  const bool remembers =
      all_in_one && lanes.exact() &&
      (window.memory == Memory::Global || space == AddressSpace::Shared || space == AddressSpace::Local);
  if (!remembers) return count(warp, site, space, addresses, mask, bytes, window, all_in_one, op);
  if (window.memory == Memory::Global) site->window_base = window.base, site->window_end = window.end;
  if (!warp.worker->launch->counters || !window.counted) return;
  const uint64_t base = lanes.scale * static_cast<uint64_t>(lanes.extend(lanes.base)) + lanes.addend;
  const uint64_t stride1 = lanes.scale * static_cast<uint64_t>(int64_t{static_cast<int32_t>(lanes.stride1)});
  const uint64_t stride2 =
      lanes.width == kWarpSize ? 0 : lanes.scale * static_cast<uint64_t>(int64_t{static_cast<int32_t>(lanes.stride2)});
  uint64_t alignment = 31;
  if (space == AddressSpace::Shared) {
    alignment = 3;
  } else if (space == AddressSpace::Local) {
    alignment = 0;
  } else if (((stride1 | stride2) & 31) == 0) {
    alignment = 0;
  }
  const uint64_t key = uint64_t{mask} << 32 | (base & alignment);
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
  memo.each = cost(warp, window.memory, addresses, mask, bytes, op);
  memo.hits = 1;
}

}  // namespace
}  // namespace drywarp::exec

using namespace drywarp;
using namespace drywarp::exec;

extern "C" {

void dw_load_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, uint32_t base,
                    uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                    uint32_t bytes, uint32_t elements, void* out) {
  alignas(64) uint64_t addresses[kWarpSize];
  const AffineLanes lanes{base, stride1, stride2, how & 0xff, (how & 0x100) != 0, scale, addend};
  affine_access(warp_of(context), site, instruction, static_cast<AddressSpace>(space_number), lanes, mask,
                bytes * elements, false, addresses);
  move_in(addresses, mask, bytes, elements, out);
}

void dw_store_affine(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, uint32_t base,
                     uint32_t stride1, uint32_t stride2, uint32_t how, uint64_t scale, uint64_t addend, uint32_t mask,
                     uint32_t bytes, uint32_t elements, void* in) {
  alignas(64) uint64_t addresses[kWarpSize];
  const AffineLanes lanes{base, stride1, stride2, how & 0xff, (how & 0x100) != 0, scale, addend};
  affine_access(warp_of(context), site, instruction, static_cast<AddressSpace>(space_number), lanes, mask,
                bytes * elements, true, addresses);
  move_out(addresses, mask, bytes, elements, in);
}

void dw_load(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, void* lanes,
             uint32_t mask, uint32_t bytes, uint32_t count_elements, void* out) {
  Warp& warp = warp_of(context);
  const auto space = static_cast<AddressSpace>(space_number);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  bool all_in_one = false;
  const Window window =
      check(warp, site, space, addresses, mask, bytes * count_elements, false, instruction, &all_in_one);
  count(warp, site, space, addresses, mask, bytes * count_elements, window, all_in_one, shared_op(space, false));
  move_in(addresses, mask, bytes, count_elements, out);
}

void dw_store(WarpContext* context, AccessSite* site, uint32_t instruction, uint32_t space_number, void* lanes,
              uint32_t mask, uint32_t bytes, uint32_t count_elements, void* in) {
  Warp& warp = warp_of(context);
  const auto space = static_cast<AddressSpace>(space_number);
  const auto* addresses = static_cast<const uint64_t*>(lanes);
  bool all_in_one = false;
  const Window window =
      check(warp, site, space, addresses, mask, bytes * count_elements, true, instruction, &all_in_one);
  count(warp, site, space, addresses, mask, bytes * count_elements, window, all_in_one, shared_op(space, true));
  move_out(addresses, mask, bytes, count_elements, in);
}

void dw_copy_async(WarpContext* context, AccessSite* sites, uint32_t instruction, void* to, void* from, uint32_t mask,
                   uint32_t bytes, void* source_bytes) {
  Warp& warp = warp_of(context);
  const auto* targets = static_cast<const uint64_t*>(to);
  const auto* sources = static_cast<const uint64_t*>(from);
  const auto* sizes = static_cast<const uint32_t*>(source_bytes);
  uint32_t reading = 0;
  for (uint32_t lane = 0; lane < kWarpSize; ++lane)
    if ((mask >> lane & 1) != 0 && sizes[lane] != 0) reading |= 1u << lane;
  bool one = false;
  const Window shared = check_lanes(warp, AddressSpace::Shared, targets, mask, bytes, true, instruction, &one);
  // .cg goes past L1, which the shared side notices.
  const bool past_l1 = running_code(warp).instructions[instruction].mods.extra.find(".cg") != std::string::npos;
  const SharedOp op = past_l1 ? SharedOp::CopyPastL1 : SharedOp::Copy;
  if (sites) count(warp, sites, AddressSpace::Shared, targets, mask, bytes, shared, true, op);
  if (reading != 0) {
    const Window global = check_lanes(warp, AddressSpace::Global, sources, reading, bytes, false, instruction, &one);
    if (sites) count(warp, sites + 1, AddressSpace::Global, sources, reading, bytes, global, true, op);
  }
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t copied = std::min(sizes[lane], bytes);
    auto* target = reinterpret_cast<uint8_t*>(targets[lane]);
    if (copied != 0) std::memcpy(target, reinterpret_cast<const void*>(sources[lane]), copied);
    std::memset(target + copied, 0, bytes - copied);
  }
}

}  // extern "C"

namespace drywarp::exec {

void flush_sites(Worker& worker) {
  for (AccessSite& site : worker.sites)
    for (jit::AccessMemo& memo : site.memos) flush(site, memo);
}

}  // namespace drywarp::exec
