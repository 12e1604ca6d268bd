// What one warp-wide memory access costs the memory units: the arithmetic behind every coalescing and bank-conflict
// counter, in one place. The engine's inlined fast paths are special cases of these functions and are tested against
// them.
//
// Sources: Nsight Compute Profiling Guide (sector, request, wavefront); behaviour of cc 7.0 - 9.0 hardware as recorded
// in tests/golden/hardware/.
#pragma once

#include <cstdint>

#include "base/access/shared_banks.h"

namespace drywarp {

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kLineBytes = 128;

using LaneMask = uint32_t;

// Global or local memory.
struct GlobalAccess {
  uint32_t sectors = 0;        // distinct 32-byte sectors
  uint32_t ideal_sectors = 0;  // ... if the active lanes' data lay packed: ceil(active lanes * size / 32)
  uint32_t unique_bytes = 0;   // bytes that at least one active lane requests, each counted once
  bool operator==(const GlobalAccess&) const = default;
};

// Shared memory.
struct SharedAccess {
  uint32_t wavefronts = 0;        // passes through the banks, at least 1
  uint32_t ideal_wavefronts = 0;  // passes the same lanes need without conflicts, for this access width
  uint32_t ways = 0;              // the most passes that one bank needs in one transaction: n-way
  uint32_t unique_bytes = 0;
  bool operator==(const SharedAccess&) const = default;
};

// Atomics on either memory.
struct AtomicAccess {
  uint32_t addresses = 0;  // distinct addresses
  uint32_t max_same = 0;   // the most lanes that hit one address: the serial rounds
  // Global memory: sectors moved. Each sector counts as often as its busiest address has lanes. Hardware sometimes
  // needs one to three more on scattered addresses (7 of the 873 recorded patterns).
  uint32_t sectors = 0;
  bool operator==(const AtomicAccess&) const = default;
};

// `addresses` has 32 entries; lanes outside `active` are ignored. `size`: bytes a lane moves (vector width included),
// 1, 2, 4, 8, 16 or 32. An empty `active` gives all zeroes: wholly predicated-off instructions make no request.
GlobalAccess analyze_global(const uint64_t* addresses, LaneMask active, unsigned size);

// Distinct aligned pieces of `piece_bytes` (a power of two, at least `size`) that the active lanes touch: lines, or
// sectors of a size other than 32 bytes.
uint32_t touched_pieces(const uint64_t* addresses, LaneMask active, unsigned size, unsigned piece_bytes);

// The kind of an access decides how its lanes share passes. The table holds since compute capability 5.0; older devices
// merge nothing and follow BankRule.
//   Load         lanes that read one word share it. 8-byte accesses take a transaction per half warp, 16-byte accesses
//                one per quarter. Transactions merge in pairs if every lane reads the same as lane ^ 1, or every
//                lane the same as lane ^ 2
//   GenericLoad  through a generic address: as Load, but 16-byte transactions never merge
//   Store        as Load, but transactions never merge
//   Atomic       every lane needs its bank for itself, lanes on one word too; transactions as Store
//   Swap         compare-and-swap, and the float additions that the hardware builds on it: Atomic, twice
//   Copy         the shared side of cp.async.ca: as Atomic
//   CopyPastL1   of cp.async.cg (16 bytes): a pass for each 128-byte line and each set of sector halves (lower, upper,
//                both) that is filled in it
enum class SharedOp : uint8_t { Load, GenericLoad, Store, Atomic, Swap, Copy, CopyPastL1 };
// `addresses` are offsets in shared memory, aligned to `size` (1, 2, 4, 8, 16). `distinct`: how many different ones
// there are; 0: not known.
SharedAccess analyze_shared(const uint64_t* addresses, LaneMask active, unsigned size, SharedOp op = SharedOp::Load,
                            const SharedBanks& banks = {}, unsigned distinct = 0);

// Local memory interleaves the threads word by word: word w of lane l lies at (32 w + l) * 4. `offsets` are each
// thread's own, aligned to `size` (1, 2, 4, 8, 16). The hardware makes a request for each 4 bytes of `size`, at least
// one: local_requests(). Ideal: every lane at the same offset.
GlobalAccess analyze_local(const uint64_t* offsets, LaneMask active, unsigned size);
inline constexpr unsigned local_requests(unsigned size) { return size > 4 ? size / 4 : 1; }

// `sectors`: whether to compute AtomicAccess::sectors.
AtomicAccess analyze_atomic(const uint64_t* addresses, LaneMask active, bool sectors = true);

// Distances between the lanes' addresses of one access. The cost of an access depends only on these distances and on
// the first lane's offset in its sector or word, so a repeated pattern needs no second analysis.
struct LaneDistances {
  // Bytes from the first active lane to each active lane, modulo 2^32; inactive lanes: 0. Within a window of at most
  // kWidestWindow bytes, different distances stay different.
  alignas(64) uint32_t from_first[kWarpSize];
  uint64_t first;  // address of the first active lane
  bool inside;     // every active lane's address is in [base, base + room] and has none of the bits of `misaligned`
};
inline constexpr uint64_t kWidestWindow = uint64_t{1} << 31;

// `addresses` has 32 entries; `active` is not 0.
void measure_lanes(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                   LaneDistances* out);

}  // namespace drywarp
