#include "base/access/lane_distances.h"

#include <bit>

#include "base/access/lane_vectors.h"

namespace drywarp {

namespace lanes {

DW_PER_CPU void measure(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                        LaneDistances* out) {
  U64 at;
  __builtin_memcpy(&at, addresses, sizeof at);
  const uint64_t first = addresses[std::countr_zero(active)];
  if (active != ~0u) {
    const auto is_active = __builtin_convertvector(__builtin_bit_cast(Bits, active), U64) != 0;
    at = is_active ? at : U64(first);
  }
  const U64 bad = U64(U64(at - U64(base)) > U64(room)) | (at & U64(misaligned));
  const U32 distances = __builtin_convertvector(at - U64(first), U32);
  __builtin_memcpy(out->from_first, &distances, sizeof distances);
  out->first = first;
  out->inside = __builtin_reduce_or(bad) == 0;
}

}  // namespace lanes

void measure_lanes(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                   LaneDistances* out) {
  lanes::measure(addresses, active, base, room, misaligned, out);
}

}  // namespace drywarp
