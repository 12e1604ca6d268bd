#include "engine/exec/blocks/turns.h"

#include <algorithm>
#include <utility>

#include "engine/exec/blocks/activation.h"

namespace drywarp::exec {
namespace {

using InLoop = LaneGroup::Turn;

// Turns in loops that may wait, since the warp last met others at a barrier, until it counts as one that waits.
constexpr uint32_t kTurnsBeforeSpin = 1'000;

}  // namespace

bool takes_turn(const Warp& warp, const Activation& function, uint32_t block) {
  const analysis::RacingLoops& racing = function.code->prepared.racing;
  return ((warp.turns & jit::kBlockTurns) != 0 && racing.in_block[block]) ||
         ((warp.turns & jit::kGridTurns) != 0 && racing.in_grid[block]);
}

bool yields(const Warp& warp, const Activation& function, uint32_t block) {
  return (warp.turns & jit::kLaneTurns) != 0 && function.code->prepared.racing.yielding.contains(block);
}

void take_turn(Warp& warp, uint32_t block) {
  const analysis::WaitingLoops& loops = warp.inside->code->prepared.loops;
  // A loop that may wait for others does so, for all that can be seen, once it has run very often.
  if (loops.header[block] != analysis::Waiting::Never && ++warp.turns_taken > kTurnsBeforeSpin) {
    warp.yielded = true;
    warp.goes_on = !loops.endless[block];
  }
  has_read(warp);  // the others read before its next store
  warp.fiber->leave();
}

uint32_t apart_behind(Warp& warp, uint32_t block) {
  const auto& yielding = warp.inside->code->prepared.racing.yielding;
  if ((warp.turns & jit::kLaneTurns) == 0 || yielding.empty()) return warp.apart;
  if (const auto begun = yielding.find(block); begun != yielding.end()) {
    if (!begun->second[warp.group_block]) warp.coming = {block, warp.apart};
    return 0;
  }
  const auto left = std::ranges::find_if(
      yielding, [&](const auto& loop) { return loop.second[warp.group_block] && !loop.second[block]; });
  if (left == yielding.end()) return warp.apart;
  const bool others_left = warp.leaving.loop == left->first;
  if (!others_left) warp.leaving = {left->first, ++warp.most_apart};
  return warp.leaving.apart;
}

void begin_apart(Warp& warp, uint32_t block) {
  const uint32_t others = ++warp.most_apart;
  for (LaneGroup& g : warp.groups)
    if (g.where == warp.inside && g.block == block)
      g.turn = InLoop::Begins;
    else
      g.apart = others;
}

void begin_joined(Warp& warp) {
  const Warp::Leaving coming = std::exchange(warp.coming, {});
  if (coming.loop == ~0u) return;
  const auto waits = [&](const LaneGroup& g) {
    return g.where == warp.inside && g.block == coming.loop && g.turn == InLoop::Waits;
  };
  const bool others_run_on = std::ranges::any_of(warp.groups, [&](const LaneGroup& g) {
    return g.state == LaneGroup::State::Ready && g.turn == InLoop::Comes && g.apart == coming.apart;
  });
  if (!others_run_on || std::ranges::none_of(warp.groups, waits)) return;
  if (takes_turn(warp, *warp.inside, coming.loop)) take_turn(warp, coming.loop);
  for (LaneGroup& g : warp.groups)
    if (waits(g)) g.turn = InLoop::Begins;
  warp.joining = coming;
  warp.apart = 0;
}

void begin_turn(Warp& warp, Activation& function, uint32_t block) {
  if (takes_turn(warp, function, block)) {
    make_current(warp, function);
    take_turn(warp, block);
  }
  for (LaneGroup& g : warp.groups)
    if (g.where == &function && g.block == block && g.turn == InLoop::Waits) g.turn = InLoop::Begins;
  warp.apart = 0;
}

}  // namespace drywarp::exec
