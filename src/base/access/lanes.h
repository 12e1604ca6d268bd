// The lanes of a warp, one by one.
#pragma once

#include <bit>
#include <cstdint>

#include "base/access/access_pattern.h"

namespace drywarp {

// Calls body(lane) for each lane of the mask, lowest first.
template <class Body>
inline __attribute__((always_inline)) void for_lanes(LaneMask mask, Body body) {
  if (mask == ~0u) {  // no search for set bits, so iterations are independent
#pragma clang loop unroll_count(8)
    for (uint32_t lane = 0; lane < 32; ++lane) body(lane);
    return;
  }
  for (LaneMask left = mask; left != 0; left &= left - 1) body(static_cast<uint32_t>(std::countr_zero(left)));
}

}  // namespace drywarp
