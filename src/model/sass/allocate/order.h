// In what order the instructions of all regions go, and in which registers: the two decide each other.
#pragma once

#include <vector>

#include "model/sass/allocate/allocate.h"
#include "model/sass/code/code.h"
#include "model/sass/code/live.h"

namespace drywarp::sass {

inline constexpr uint16_t kStackPointer = 1;
inline constexpr uint32_t kRegisterUnit = 8;  // registers are handed out to threads by so many

struct Ordered {
  std::vector<Region> regions;
  LiveSets live;
  Allocation allocation;
};

struct RegisterLimits {
  uint32_t comfortable = 32;  // that leave all warps their place
  uint32_t most = 255;        // that a thread may have
  uint32_t reserved = 2;      // of them, not for values
  bool free = true;           // false: it has `most`, whatever it needs
};

// Orders and allocates what `code` has. An order that hides latencies is given up for one that saves registers, region
// by region, if only so all warps keep their place; constants that are read again where they are needed leave more of
// them to order with. Where not even the thriftiest order gets along with so few, warps lose their place anyway: the
// order may use what registers there are up to the next that cost more of them.
Ordered order(Kernel& kernel, Ordered code, const RegisterLimits& limits);

}  // namespace drywarp::sass
