// Accesses outside of every allocation that a launch was allowed all the same, because a GPU has mapped that memory:
// CUDA leaves them undefined, and hardware lets them through.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace drywarp {

// Those of one instruction.
struct StrayAccess {
  std::string place;        // "src/app.cu:12"; "PTX line 31" without a source line
  std::string instruction;  // PTX
  std::string what;         // of the first in the lowest block: "invalid global read of 4 bytes at address ..."
  uint64_t block = 0;       // that block's number
  std::array<uint32_t, 3> block_index{}, thread{};
  uint64_t times = 0;  // threads of all accesses
};

// Adds the accesses of an instruction to those of a launch. The lowest block speaks for a place.
void add(std::vector<StrayAccess>& all, const StrayAccess& more);

}  // namespace drywarp
