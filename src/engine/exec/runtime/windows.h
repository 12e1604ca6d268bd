// Which memory an address is in, and what of it an access may reach. Addresses are host addresses, whatever the state
// space.
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

// The variable of shared memory from whose address an instruction computes its own. Null: it is not known, or the block
// has no observer that wants to know.
const observe::SharedVariable* variable_of(const Warp& warp, uint32_t instruction);

// The window of that variable; where it is not known, of the one at or before `address`; and the whole of the block's
// where variables are not told apart.
Window variable_window(const Warp& warp, uint32_t instruction, uint64_t address);

// The window that holds [address, address + bytes) for lane `lane`, or nothing.
std::optional<Window> find_window(Warp& warp, AddressSpace space, uint64_t address, uint64_t bytes);

}  // namespace drywarp::exec
