// Which memory an address is in, and whether a lane may touch it. Addresses are host addresses, whatever the state
// space.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

struct Window {
  uint64_t base = 1, end = 0;
  Memory memory = Memory::Global;
  bool counted = true;  // constant and parameter memory are not
  bool writable = true;
  [[nodiscard]] bool holds(uint64_t address, uint64_t bytes) const {
    return address >= base && address <= end && bytes <= end - address;
  }
};

// The window that holds [address, address + bytes) for lane `lane`, or nothing.
std::optional<Window> find_window(Warp& warp, AddressSpace space, uint64_t address, uint64_t bytes);

// Checks every lane of the mask; raises the fault of the lowest lane that may not. Returns the first lane's window;
// `all_in_one` is set if it holds all lanes.
Window check_lanes(Warp& warp, AddressSpace space, const uint64_t* addresses, uint32_t mask, uint32_t bytes, bool store,
                   uint32_t instruction, bool* all_in_one);

}  // namespace drywarp::exec
