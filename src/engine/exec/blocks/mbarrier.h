// The layout of barrier objects (mbarrier) in shared memory, which is opaque to programs.
#pragma once

#include <cstdint>

namespace drywarp::exec {

// 64 bits: expected and pending arrivals, pending bytes, phase.
struct Mbarrier {
  uint64_t pending : 20, expected : 20, transactions : 21, phase : 1, negative : 1, valid : 1;
};
static_assert(sizeof(Mbarrier) == 8);

}  // namespace drywarp::exec
