// Whether blocks of a launch can see each other's plain stores, or overwrite them: then what the launch does depends on
// the order in which blocks run.
#pragma once

#include "language/analysis/address_forms.h"

namespace drywarp::analysis {

struct BlockRaces {
  // Not shown: that no block reads or overwrites what another one writes, but for equal constants, and integer atomics
  // of one kind that nobody reads.
  bool possible = false;
  // A call may touch memory that no instruction names, or does what cannot be done again.
  bool hidden = false;
  bool atomics_commute = true;  // the order of the kernel's atomics alone can change nothing
  // By instruction, 1: a load that may read what another block writes. Empty unless races are possible.
  std::vector<uint8_t> loads;
};

// For this launch. Addresses that are sums of block and thread numbers, turns of loops and parameters are compared
// exactly; any other lies in the allocation that its pointer was made from.
BlockRaces block_races(const ir::Module& module, const ir::Function& kernel, const ControlFlow& flow,
                       const LaunchFacts& facts);

}  // namespace drywarp::analysis
