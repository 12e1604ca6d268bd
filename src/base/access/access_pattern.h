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
  uint32_t sectors = 0;        // distinct aligned 32-byte pieces moved
  uint32_t ideal_sectors = 0;  // ... if the active lanes' data lay packed: ceil(active lanes * size / 32)
  uint32_t unique_bytes = 0;   // bytes that at least one active lane asked for, each counted once
  bool operator==(const GlobalAccess&) const = default;
};

// Shared memory.
struct SharedAccess {
  uint32_t wavefronts = 0;        // passes through the banks, at least 1
  uint32_t ideal_wavefronts = 0;  // passes the same lanes need without conflicts, for this access width
  uint32_t ways = 0;              // the most passes that one bank needs in one turn: n-way
  uint32_t unique_bytes = 0;
  bool operator==(const SharedAccess&) const = default;
};

// Atomics on either memory.
struct AtomicAccess {
  uint32_t addresses = 0;  // distinct addresses
  uint32_t max_same = 0;   // the most lanes that hit one address: the serial rounds
  // Global memory: sectors moved: for each sector, the most lanes on one address of it. The hardware sometimes needs
  // one to three more on scattered addresses (7 of the 873 recorded patterns).
  uint32_t sectors = 0;
  bool operator==(const AtomicAccess&) const = default;
};

// `addresses` has 32 entries; lanes outside `active` are ignored. `size`: bytes a lane moves (vector width included),
// 1, 2, 4, 8, 16 or 32. An empty `active` gives all zeroes: wholly predicated-off instructions make no request.
GlobalAccess analyze_global(const uint64_t* addresses, LaneMask active, unsigned size);

// Distinct aligned pieces of `piece_bytes` (a power of two, at least `size`) that the active lanes' data lie in: lines,
// or what memories with other sectors than 32 bytes move.
uint32_t touched_pieces(const uint64_t* addresses, LaneMask active, unsigned size, unsigned piece_bytes);

// What an access to shared memory does decides how its lanes share passes (on devices since cc 5.0; older ones know no
// merging, and loads, stores and the rest as BankRule says):
//   Load         lanes that read one word share it. At 8 bytes the halves of the warp, at 16 bytes its quarters, take
//                turns, which merge in pairs if throughout the warp each lane reads what lane ^ 1 reads, or each what
//                lane ^ 2 reads
//   GenericLoad  through a generic address: as Load, but at 16 bytes turns never merge
//   Store        as Load, but turns never merge
//   Atomic       every lane takes its bank for itself, lanes on one word too; turns as Store
//   Swap         compare-and-swap, and the float additions that the hardware builds on it: Atomic, twice
//   Copy         the shared side of cp.async.ca: as Atomic
//   CopyPastL1   of cp.async.cg (16 bytes): a pass for each 128-byte line and each way in which sectors of it are
//                filled (the lower half, the upper, both)
enum class SharedOp : uint8_t { Load, GenericLoad, Store, Atomic, Swap, Copy, CopyPastL1 };
// `addresses` are offsets in shared memory, aligned to `size` (1, 2, 4, 8, 16). `distinct`: how many of them differ, if
// that is known.
SharedAccess analyze_shared(const uint64_t* addresses, LaneMask active, unsigned size, SharedOp op = SharedOp::Load,
                            const SharedBanks& banks = {}, unsigned distinct = 0);

// Local memory interleaves the threads word by word: word w of lane l lies at (32 w + l) * 4. `offsets` are each
// thread's own, aligned to `size` (1, 2, 4, 8, 16). The hardware makes a request for each 4 bytes of `size`, at least
// one: local_requests(). Ideal: every lane at the same offset.
GlobalAccess analyze_local(const uint64_t* offsets, LaneMask active, unsigned size);
inline constexpr unsigned local_requests(unsigned size) { return size > 4 ? size / 4 : 1; }

// `sectors`: whether they are wanted.
AtomicAccess analyze_atomic(const uint64_t* addresses, LaneMask active, bool sectors = true);

}  // namespace drywarp
