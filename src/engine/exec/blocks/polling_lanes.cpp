#include "engine/exec/blocks/polling_lanes.h"

#include <algorithm>

#include "engine/exec/blocks/activation.h"

namespace drywarp::exec {

bool PollingLanes::may_run(const LaneGroup& group) {
  const analysis::WaitingLoops& loops = group.where->code->prepared.loops;
  if (!loops.on_objects[group.block]) {
    again_ &= ~group.mask;
    warp_.on_objects_alone = false;
    if (!warp_.object_waits.empty()) forget_polls(warp_, group.mask);
    return true;
  }
  const bool begins = loops.header[group.block] == analysis::Waiting::Only;
  if (begins && (group.mask & again_) == 0 && (group.mask & ~polled_in_vain(warp_)) == 0) {
    polled_ |= group.mask;
    return false;
  }
  if (begins) again_ &= ~group.mask;
  return true;
}

bool PollingLanes::wake() {
  if (changes_ == warp_.owner->object_changes) return false;
  next_turn();
  return true;
}

void PollingLanes::leave() {
  const LaneGroup& first = *std::ranges::find_if(warp_.groups, [&](const LaneGroup& g) { return rest(g); });
  make_current(warp_, *first.where);
  stop_if_asked(warp_, first.where->code->prepared.code.blocks[first.block].first);
  warp_.on_objects_alone = warp_.yielded = warp_.waits = true;
  warp_.fiber->leave();
  next_turn();
}

void PollingLanes::next_turn() {
  again_ |= polled_;
  polled_ = 0;
  changes_ = warp_.owner->object_changes;
}

}  // namespace drywarp::exec
