// Checks and counts memory accesses of any pattern. Addresses are host addresses, whatever the state space.
#pragma once

#include "engine/exec/runtime/windows.h"

namespace drywarp::exec {

// One memory instruction of a warp. `site` may be null: then it is checked and not counted.
struct Access {
  Warp& warp;
  jit::AccessSite* site;
  AddressSpace space;
  uint32_t instruction;
  const uint64_t* addresses;  // of 32 lanes
  uint32_t mask, bytes;       // a lane
  bool store = false;
  bool atomic = false;
  SharedOp op = SharedOp::Load;
  bool sparable = true;               // lanes can leave it out: see check_lanes
  const uint64_t* origins = nullptr;  // WarpContext::origins
  LaneMask elsewhere = 0;             // lanes that a GPU takes to another place: own_places()
};

// Checks every lane of the mask. If an observer wants to be told of denials, lanes that may not access their address
// leave `mask`; otherwise, or if the access is not sparable, the fault of the lowest of them is raised. Returns the
// window of the first lane that is left; `all_in_one` is set if it holds all of them. Without observers, lanes whose
// access a GPU lets through without an effect leave `mask` too, and those that it takes to another place are in
// `elsewhere`: see local_memory.h.
Window check_lanes(Access& access, bool* all_in_one);

SharedOp shared_op(AddressSpace space, bool store);

// Fast path: all lanes lie in the likely window, and the cost of an equal pattern is known. Otherwise lane by lane.
// Lanes that may not access their address: see check_lanes. Returns the window of the first lane's address.
Window check_and_count(Access& access);

// What one access costs, as counts to be added.
AccessCounts cost(const Access& access, Memory memory);

// Checks alone. The site's window is refreshed if all lanes are in one.
Window check(Access& access, bool* all_in_one);

// Counts an access that has been checked, memory by memory for a generic one whose lanes are spread.
void count(const Access& access, const Window& first, bool all_in_one);

// The record of a site for the memory that was found: generic accesses have one for each.
inline jit::AccessSite* record_of(jit::AccessSite* site, AddressSpace space, Memory memory) {
  return space == AddressSpace::Generic ? site + static_cast<unsigned>(memory) : site;
}

// Adds the hits of a memo to its site's total.
template <class Memo>
void flush(jit::AccessSite& site, Memo& memo) {
  if (memo.hits == 0) return;
  site.total.add(memo.each, memo.hits);
  memo.hits = 0;
}
// Flushes all memos of a worker.
void flush_sites(Worker& worker);

}  // namespace drywarp::exec
