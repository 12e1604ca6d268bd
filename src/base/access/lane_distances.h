// How the lanes' addresses of one access lie to each other. What an access costs depends on these distances and on the
// place of the first lane in its sector or word alone, so that a repeated pattern needs no second analysis.
#pragma once

#include "base/access/access_pattern.h"

namespace drywarp {

struct LaneDistances {
  // Of every active lane from the first active one, in bytes, modulo 2^32; inactive lanes: 0. In a window of at most
  // kWidestWindow bytes no two different distances look the same.
  alignas(64) uint32_t from_first[kWarpSize];
  uint64_t first;  // address of the first active lane
  bool inside;     // every active lane's address is in [base, base + room] and has none of the bits of `misaligned`
};
inline constexpr uint64_t kWidestWindow = uint64_t{1} << 31;

// `addresses` has 32 entries; `active` is not 0.
void measure_lanes(const uint64_t* addresses, LaneMask active, uint64_t base, uint64_t room, uint64_t misaligned,
                   LaneDistances* out);

}  // namespace drywarp
