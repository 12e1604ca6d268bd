// Loops, dominators and divergence of the PTX function's blocks.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "language/analysis/passes.h"
#include "language/ir/kernel.h"

namespace drywarp::sass {

struct Flow {
  analysis::ControlFlow control;
  std::vector<uint32_t> dominator;  // immediate; the entry's is itself; kNone: not reachable
  // The loops around a block, outermost first, by header.
  std::vector<std::vector<uint32_t>> loops;
  std::vector<bool> divergent;      // the branch that ends the block can diverge
  std::vector<bool> uniform;        // by PTX register: the same in all active lanes of a warp
  std::vector<bool> unconditional;  // all lanes that do not end before come to the block
  std::vector<bool> passed_by;      // lanes pass by the block, or by one that leads to it, while others come to it
  [[nodiscard]] bool dominates(uint32_t a, uint32_t b) const;
  [[nodiscard]] bool in_loop(uint32_t block, uint32_t header) const;
  // Whether lanes come to a block from these alone.
  [[nodiscard]] bool only_from(uint32_t block, std::initializer_list<uint32_t> from) const;
};

Flow find_flow(const ir::Function& function);

// Whether the PTX text has `.pragma "nounroll"` at the block's start.
[[nodiscard]] bool forbids_unrolling(const ir::Function& function, uint32_t block);

}  // namespace drywarp::sass
