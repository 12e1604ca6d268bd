// Physical registers for virtual ones.
#pragma once

#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/live.h"

namespace drywarp::sass {

struct Allocation {
  std::vector<uint16_t> number;  // of each virtual register, in its file; machine::kNoRegister: none
  uint32_t general = 0, predicates = 0, uniform = 0;  // registers in use: highest number + 1
  // By region: the same of the general registers that it writes or reads last.
  std::vector<uint32_t> general_of;
};

// `reserved`: the general register that no value can have (the stack pointer).
Allocation allocate(const Kernel& kernel, const std::vector<Region>& regions, const LiveSets& live, uint16_t reserved);

}  // namespace drywarp::sass
