// Whether blocks of a launch can see each other's plain stores, or overwrite them: then the launch's results depend on
// the order of its blocks.
#pragma once

#include "language/analysis/address_forms.h"

namespace drywarp::analysis {

struct BlockRaces {
  // False: it is proven that no block reads or overwrites what another one writes, except equal constants and integer
  // atomics of one kind whose results are not used.
  bool possible = false;
  // A call may touch memory that no instruction names, or cannot be repeated.
  bool hidden = false;
  bool atomics_commute = true;  // the order of the kernel's atomics alone changes nothing
  // By instruction, 1: a load that may read what another block writes. Empty unless races are possible.
  std::vector<uint8_t> loads;
  // By instruction, 1: a store of a constant where another block may store the same one, and an atomic where another
  // block may run one, if one of the two is for its own block alone. Empty if races are possible.
  std::vector<uint8_t> same_stores;
  // By instruction, 1: a load from an allocation into which nothing in the launch writes. Empty if accesses are hidden.
  std::vector<uint8_t> unwritten;
};

// Analyses one launch. Addresses that are sums of block and thread numbers, loop iterations and parameters are compared
// exactly; any other is anywhere in the allocation of its pointer.
BlockRaces block_races(const ir::Module& module, const ir::Function& kernel, const ControlFlow& flow,
                       const LaunchFacts& facts);

}  // namespace drywarp::analysis
