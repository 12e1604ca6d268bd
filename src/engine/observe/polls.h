// Takes iterations that waited for a barrier object in vain out of a warp's trace: how often a loop polls depends on
// the order in which warps run here, and on a GPU the first poll waits. An iteration goes if nothing else happened in
// it.
#pragma once

#include "base/events/warp_trace.h"
#include "engine/observe/observer.h"

namespace drywarp::observe {

// Of one warp.
class Polls {
 public:
  // Call before the step is added to the trace. `executed`: its instructions; `steps`: how many the trace has, repeats
  // included; `dropped`: the instructions of iterations that were taken out.
  void step(WarpTrace& trace, const Step& next, uint64_t executed, uint32_t& steps, uint64_t& dropped);
  // A wait of the last step did not pass.
  void in_vain() { failed_ = true; }

 private:
  struct Place {
    size_t steps = 0, accesses = 0, objects = 0;
    uint32_t repeats = 0;   // of the last step
    uint32_t executed = 0;  // steps, repeats included
    uint64_t instructions = 0;
  };
  Place last_;  // before the last step
  Step last_step_;
  bool failed_ = false;  // a wait of the last step
  // A step whose wait was in vain; none: the iteration has done something else since.
  bool polled_ = false;
  Place poll_;
  Step poll_step_;
  uint64_t instructions_ = 0;  // of all steps so far, those that were taken out included
};

}  // namespace drywarp::observe
