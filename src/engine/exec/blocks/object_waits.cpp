// Waits for barrier objects (mbarrier): which lanes polled in vain, and whether a block waits for itself.
#include <bit>
#include <utility>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {
namespace {

// Enough for every warp to have polled since anything changed: code checks its loops every few iterations.
constexpr uint32_t kStuckTurns = 64;

}  // namespace

void note_polls(Warp& warp, uint32_t instruction, uint32_t mask, uint32_t in_vain, const uint64_t* addresses) {
  forget_polls(warp, mask);
  for (uint32_t left = in_vain; left != 0;) {
    ObjectWait wait{0, here(warp, instruction), addresses[std::countr_zero(left)]};
    for (uint32_t rest = left; rest != 0; rest &= rest - 1)
      if (addresses[std::countr_zero(rest)] == wait.address) wait.lanes |= rest & -rest;
    left &= ~wait.lanes;
    warp.object_waits.push_back(wait);
  }
  if (in_vain != mask) warp.on_objects_alone = false;
}

void forget_polls(Warp& warp, uint32_t mask) {
  std::erase_if(warp.object_waits, [&](ObjectWait& w) { return (w.lanes &= ~mask) == 0; });
}

uint32_t polled_in_vain(const Warp& warp) {
  uint32_t lanes = 0;
  for (const ObjectWait& w : warp.object_waits) lanes |= w.lanes;
  return lanes;
}

bool waits_for_itself(Block& block) {
  bool any = false;
  for (const auto& warp : block.warps) {
    if (warp->state != Warp::State::Ready) continue;
    if (!warp->on_objects_alone) return block.stuck_turns = 0, false;
    any = true;
  }
  if (std::exchange(block.object_changes_seen, block.object_changes) != block.object_changes) block.stuck_turns = 0;
  return any && ++block.stuck_turns >= kStuckTurns;
}

}  // namespace drywarp::exec
