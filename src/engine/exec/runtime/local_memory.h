// Local memory is each thread's own, and what a GPU does with addresses that leave it, or that lead nowhere in constant
// memory and the parameters.
#pragma once

#include "engine/exec/runtime/accesses.h"

namespace drywarp::exec {

// What an H200 maps for a thread before its local memory and behind it: measured beside an array of 32 bytes.
inline constexpr uint64_t kBeforeLocal = 960, kBehindLocal = 560;

// From one thread's local memory to the next one's, of `bytes` each. `apart`: code computes generic addresses, so that
// an address beside one of them is to be beside no other.
uint64_t local_stride(uint64_t bytes, bool apart);

// That of all lanes.
Window local_window(const Warp& warp);

bool in_own_local(const Warp& warp, uint32_t lane, uint64_t address, uint64_t bytes);

// From the start of the lane's local memory.
int64_t local_offset(const Access& access, uint32_t lane);

// Whether a generic address is a place in the local memory of the warp's lanes, or beside it.
bool near_local(const Warp& warp, uint64_t address);

// How a GPU lets an access through that is in no window.
enum class Passage : uint8_t {
  None,       // it does not
  Lost,       // reads give 0, and writes are lost
  Elsewhere,  // to memory of the thread's own: what is beside its local memory, or, for the address of another
              // thread's local memory, the same place in its own
};
Passage passage_of(const Access& access, uint32_t lane);

struct LanePlaces {
  uint64_t of[kWarpSize];
};
// Where a checked access goes: the lanes' addresses, unless some go elsewhere.
const uint64_t* places_elsewhere(const Access& access, LanePlaces& places);
inline const uint64_t* places_of(const Access& access, LanePlaces& places) {
  return access.elsewhere == 0 ? access.addresses : places_elsewhere(access, places);
}

}  // namespace drywarp::exec
