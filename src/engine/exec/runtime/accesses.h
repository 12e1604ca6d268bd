// Checks and counts memory accesses of any pattern. Addresses are host addresses, whatever the state space.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// The memory that an address is in.
struct Window {
  uint64_t base = 1, end = 0;
  Memory memory = Memory::Global;
  bool counted = true;  // constant and parameter memory are not
  bool writable = true;
  bool stray = false;     // the access alone: it is in no allocation, and a GPU lets it through
  bool remote = false;    // of another block of the cluster
  uint8_t may = kMayAll;  // Permission bits
  [[nodiscard]] bool holds(uint64_t address, uint64_t bytes) const {
    return address >= base && address <= end && bytes <= end - address;
  }
};

// The window of the variable of shared memory from whose address an instruction computes its own; where that is not
// known, of the one at or before `address`; and the whole of the block's where variables are not told apart.
Window variable_window(const Warp& warp, uint32_t instruction, uint64_t address);

// The window that holds [address, address + bytes) for lane `lane`, or nothing.
std::optional<Window> find_window(Warp& warp, AddressSpace space, uint64_t address, uint64_t bytes);

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
  bool sparable = true;  // lanes can leave it out: see check_lanes
};

// Checks every lane of the mask. If an observer wants to be told of denials, lanes that may not access their address
// leave `mask`; otherwise, or if the access is not sparable, the fault of the lowest of them is raised. Returns the
// window of the first lane that is left; `all_in_one` is set if it holds all of them.
Window check_lanes(Access& access, bool* all_in_one);

// The fault that the program sees behind the launch, and what observers are told, of lanes that leave an access out.
// `beside`, `unit`, `rule`: as Denial has them.
void leave_out(const Access& access, observe::Denial::Why why, LaneMask lanes, const std::function<Fault()>& fault,
               uint64_t beside, uint32_t unit = 0, std::string_view rule = {});

// free() of what is no live block of the heap: tells the observers, or raises the fault.
void refuse_free(Warp& warp, uint32_t instruction, uint32_t lane, uint64_t address);

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
