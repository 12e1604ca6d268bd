// Where accesses go, in numbers that are the same in every run.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// Of the lanes: their places in the device's, the block's or the thread's memory, as observe::Access has them.
void places_of(Warp& warp, Memory memory, const uint64_t* addresses, LaneMask lanes, uint64_t* places);

// An address in the shared memory of another block of the warp's cluster: that block's number in the grid, and the
// place there.
struct RemotePlace {
  uint64_t owner = 0, place = 0;
};
[[nodiscard]] RemotePlace remote_place(const Block& owner, uint64_t address);

// Tells the block in whose shared memory the warp has written, if that is another one of its cluster.
void tell_owner(const Warp& warp, uint64_t address, uint32_t bytes);

}  // namespace drywarp::exec
