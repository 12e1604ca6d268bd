// Waiting for something outside the launch: the host, or another launch.
//
// A launch waits for itself if all its warps are in loops that only what they read can end, and all has come to rest:
// no warp has left such a loop, and none has changed memory. How long that lasts matters for what happens outside
// alone: the time that a round takes says nothing, for on a busy machine one can take seconds.
#pragma once

#include <chrono>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

// What a worker does while all its blocks wait and no block is left to start.
class IdleBackoff {
 public:
  IdleBackoff(Launch& launch, Attempts& attempts) : launch_(launch), attempts_(attempts) {}
  // A round with progress.
  void reset();
  // A round without progress. `only_waited`: every warp is in a loop that only waits. `goes_on`: a warp is not in a
  // loop that others alone can end, or has left one. True: nothing will end that.
  bool wait(bool only_waited, bool goes_on);

 private:
  void stop_watching();
  Launch& launch_;
  Attempts& attempts_;
  bool waiting_ = false, stuck_ = false;
  unsigned rounds_ = 0;  // since stuck_since_
  std::chrono::steady_clock::time_point since_, stuck_since_;
};

}  // namespace drywarp::exec
