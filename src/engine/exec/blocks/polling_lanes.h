// Lanes of a warp in the lane-group scheduler that only poll barrier objects: each polls once, and then lets others run
// until an object changes or the warp has its next turn.
#pragma once

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {

class PollingLanes {
 public:
  explicit PollingLanes(Warp& warp) : warp_(warp), changes_(warp.owner->object_changes) {}
  // Whether all lanes of the group have polled in vain, so that others should run.
  [[nodiscard]] bool rest(const LaneGroup& group) const { return (group.mask & ~polled_) == 0; }
  [[nodiscard]] bool any() const { return polled_ != 0; }
  // To be called before a group runs. False: it has just polled in vain, and rests.
  bool may_run(const LaneGroup& group);
  // Lets all poll again if an object has changed since they did.
  bool wake();
  // Leaves the fiber until the warp's next turn; all that is ready rests.
  void leave();
  // The warp has another turn.
  void next_turn();

 private:
  Warp& warp_;
  uint64_t changes_;
  uint32_t polled_ = 0;  // lanes that rest
  uint32_t again_ = 0;   // lanes that have rested, and have not polled since
};

}  // namespace drywarp::exec
