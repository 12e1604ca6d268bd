// Loops of compare-and-swaps in shared memory, which are one instruction in PTX: additions of floats and doubles. The
// machine code has one iteration; this unit repeats it.
#pragma once

#include "model/sm/units/schedulers.h"

namespace drywarp::sm {

class SwapLoops {
 public:
  explicit SwapLoops(Simulation& simulation) : s(simulation) {}

  struct Iterations {
    Cycles end = 0;           // of the next one
    double issue_cycles = 0;  // that they take of the scheduler
    bool again = false;       // lanes have not swapped yet: the warp is at the loop's branch again then
  };
  // The warp is at the branch. In each iteration one lane of each bank swaps, if no other warp has swapped its word
  // since the iteration has loaded it.
  Iterations iterate(uint32_t warp, const Decoded& in, Cycles now);

 private:
  Simulation& s;
};

}  // namespace drywarp::sm
