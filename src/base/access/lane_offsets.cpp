#include "base/access/lane_offsets.h"

#include "base/access/lane_vectors.h"

namespace drywarp {
namespace {

using Bits = lanes::Bits;
using U64 = lanes::U64;

constexpr U64 kLaneNumbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

DW_LANES_INLINE void selected(LaneMask active, U64& all_ones) {
  all_ones = __builtin_convertvector(__builtin_bit_cast(Bits, active), U64) * ~uint64_t{0};
}

DW_PER_CPU LaneMask offsets_of(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t stride,
                               uint64_t size, uint64_t* offsets) {
  U64 at, chosen;
  __builtin_memcpy(&at, addresses, sizeof at);
  selected(active, chosen);
  at = (at - base - kLaneNumbers * stride) & chosen;
  __builtin_memcpy(offsets, &at, sizeof at);
  return lanes::mask_of(U64(at >= size)) & active;
}

// Offsets in the lanes' own memories fit 32 bits, which vectors compare at half the cost of 64.
DW_PER_CPU void measure_own(const uint64_t* addresses, LaneMask active, const uint64_t* starts, uint64_t base,
                            uint32_t room, uint32_t misaligned, LaneDistances* out) {
  using U32 = lanes::U32;
  U64 at, from;
  __builtin_memcpy(&at, addresses, sizeof at);
  __builtin_memcpy(&from, starts, sizeof from);
  const auto lane = static_cast<unsigned>(__builtin_ctz(active));
  const uint64_t first = addresses[lane] - starts[lane];
  at -= from + U64(base);
  if (active != ~LaneMask{0}) {
    U64 chosen;
    selected(active, chosen);
    at = (at & chosen) | (U64(first - base) & ~chosen);
  }
  const U32 offsets = __builtin_convertvector(at, U32);
  const U32 distances = offsets - U32(static_cast<uint32_t>(first - base));
  __builtin_memcpy(out->from_first, &distances, sizeof distances);
  out->first = first;
  const U32 bad = U32(offsets > U32(room)) | (offsets & U32(misaligned));
  out->inside = (__builtin_reduce_or(at) >> 32) == 0 && __builtin_reduce_or(bad) == 0;
}

DW_PER_CPU void span_of(const uint64_t* offsets, LaneMask active, uint64_t bytes, LaneSpan* out) {
  U64 at, chosen;
  __builtin_memcpy(&at, offsets, sizeof at);
  selected(active, chosen);
  out->first = __builtin_reduce_min(at | ~chosen);
  out->last = __builtin_reduce_max(at & chosen);
  out->side_by_side = active == ~LaneMask{0} && __builtin_reduce_or(at ^ (U64(offsets[0]) + kLaneNumbers * bytes)) == 0;
}

DW_PER_CPU void steps_of(const uint64_t* addresses, uint64_t bytes, LaneSteps* out) {
  U64 at;
  __builtin_memcpy(&at, addresses, sizeof at);
  const U64 next = __builtin_shufflevector(at, at, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                           20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31);
  out->follows = lanes::mask_of(U64(next - at == bytes));
  out->same = lanes::mask_of(U64(next == at));
}

DW_PER_CPU LaneMask elsewhere(const uint64_t* addresses, uint64_t first, const uint64_t* apart) {
  U64 at, wanted;
  __builtin_memcpy(&at, addresses, sizeof at);
  __builtin_memcpy(&wanted, apart, sizeof wanted);
  return lanes::mask_of(U64(at - first != wanted));
}

}  // namespace

LaneMask lane_offsets(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t stride, uint64_t size,
                      uint64_t* offsets) {
  return offsets_of(addresses, active, base, stride, size, offsets);
}

void measure_own_lanes(const uint64_t* addresses, LaneMask active, const uint64_t* starts, uint64_t base, uint64_t room,
                       uint64_t misaligned, LaneDistances* out) {
  measure_own(addresses, active, starts, base, static_cast<uint32_t>(room), static_cast<uint32_t>(misaligned), out);
}

LaneSpan lane_span(const uint64_t* offsets, LaneMask active, uint64_t bytes) {
  LaneSpan span;
  span_of(offsets, active, bytes, &span);
  return span;
}

LaneSteps lane_steps(const uint64_t* addresses, LaneMask active, uint64_t bytes) {
  LaneSteps steps;
  steps_of(addresses, bytes, &steps);
  const LaneMask both = active & active >> 1;
  return {steps.follows & both, steps.same & both};
}

LaneMask lanes_elsewhere(const uint64_t* addresses, LaneMask active, uint64_t first, const uint64_t* apart) {
  return elsewhere(addresses, first, apart) & active;
}

}  // namespace drywarp
