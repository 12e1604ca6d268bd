// Distances between the lanes' addresses of one access. The cost of an access depends only on these distances and on
// the first lane's offset in its sector or word, so a repeated pattern needs no second analysis.
#pragma once

#include "base/access/access_pattern.h"

namespace drywarp {

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
