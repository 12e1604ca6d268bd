// Loops in which a lane can wait for another thread: locks, flags, barriers of the whole grid.
#pragma once

#include <vector>

#include "language/analysis/control_flow.h"
#include "language/analysis/liveness.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

enum class Waiting : uint8_t {
  Never,    // reads nothing that another thread may write while the loop runs
  Perhaps,  // reads such a value
  Only,     // ... and does nothing else: an iteration has no side effects, so each polls the same condition
};

struct WaitingLoops {
  std::vector<Waiting> header;  // by block; Never where no loop begins
  std::vector<bool> after;      // blocks to which loops that only wait exit
};

WaitingLoops waiting_loops(const ir::Module& module, const ir::Function& function, const ControlFlow& flow,
                           const Liveness& live);

}  // namespace drywarp::analysis
