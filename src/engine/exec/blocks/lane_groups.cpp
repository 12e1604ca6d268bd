// The lane-group scheduler: the lanes of one warp form groups, each with its own place in the program, that run one
// block at a time in a fair order. So a lane that waits for another one never keeps it from running. Groups that reach
// the same block of the same activation merge. Used only by warps that need it (see engine/jit/function_emitter.h).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/lane_exchanges.h"
#include "engine/exec/blocks/polling_lanes.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/turns.h"
#include "language/analysis/passes.h"

namespace drywarp::exec {
namespace {

using State = LaneGroup::State;
using InLoop = LaneGroup::Turn;

constexpr unsigned kTurnsBeforeOthers = 64;  // blocks that the first in order may run in a row while others are ready

LaneGroup* find(Warp& warp, const Activation* where, uint32_t block, State state, uint32_t members, uint32_t apart) {
  for (LaneGroup& g : warp.groups)
    if (g.where == where && g.block == block && g.state == state && g.members == members && g.exchange_id == 0 &&
        g.apart == apart)
      return &g;
  return nullptr;
}

// Adds lanes to the group at the same block and in the same state, or as a new group.
void join(Warp& warp, const LaneGroup& group) {
  if (LaneGroup* there = find(warp, group.where, group.block, group.state, group.members, group.apart)) {
    there->mask |= group.mask;
  } else {
    warp.groups.push_back(group);
  }
}

// Lanes that wait for the same members continue together.
void tell_released(const Warp& warp, const std::vector<LaneGroup>& released) {
  for (size_t i = 0; i < released.size(); ++i) {
    const auto same = [&](const LaneGroup& g) { return g.members == released[i].members; };
    if (std::any_of(released.begin(), released.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    LaneMask lanes = 0;
    for (const LaneGroup& g : released)
      if (same(g)) lanes |= g.mask;
    tell(*warp.owner, &observe::BlockObserver::warp_release, observe::WarpRelease{warp.warp, false, lanes});
  }
}

// Lanes at warp-wide syncs continue when every living member is at one.
bool release_warp_syncs(Warp& warp) {
  uint32_t waiting = 0;
  for (const LaneGroup& g : warp.groups)
    if (g.state == State::AtWarpSync) waiting |= g.mask;
  std::vector<LaneGroup> released;
  std::erase_if(warp.groups, [&](const LaneGroup& g) {
    if (g.state != State::AtWarpSync || (g.members & living(warp) & ~waiting) != 0) return false;
    released.push_back(g);
    return true;
  });
  if (!released.empty()) warp.apart = 0;
  for (const LaneGroup& g : released) arrive_at(warp, g.where, g.block, g.mask);
  if (!released.empty() && has_listeners(*warp.owner)) tell_released(warp, released);
  return !released.empty();
}

// Lanes at an exchange continue when every living member is at the same instruction, in any activation, or else at a
// matching one.
template <class Matches>
bool release_exchange(Warp& warp, Matches matches) {
  for (const LaneGroup& waits : warp.groups) {
    if (waits.state != State::Converging) continue;
    auto there = [&, first = waits](const LaneGroup& g) { return g.state == State::Converging && matches(first, g); };
    uint32_t present = 0;
    for (const LaneGroup& g : warp.groups)
      if (there(g)) present |= g.mask;
    if ((waits.members & living(warp) & ~present) != 0) continue;
    std::vector<LaneGroup> together;
    std::erase_if(warp.groups, [&, members = waits.members](const LaneGroup& g) {
      if (!there(g) || (g.mask & members) == 0) return false;
      const auto same = std::find_if(together.begin(), together.end(), [&](const LaneGroup& other) {
        return other.where == g.where && other.block == g.block;
      });
      same == together.end() ? together.push_back(g) : void(same->mask |= g.mask);
      return true;
    });
    const uint32_t exchange_id = together.size() > 1 ? ++warp.exchanges : 0;
    for (LaneGroup& g : together) {
      g.state = State::Ready;
      g.members = 0;
      g.exchange_id = exchange_id;
      warp.groups.push_back(g);
    }
    return true;
  }
  return false;
}

// Calls go(activation, lanes) for lanes that leave the block just run: in its activation, or each part in its own.
template <class Go>
void from_here(Warp& warp, uint32_t mask, Go go) {
  if (warp.exchange_groups.empty()) return go(warp.inside, mask);
  for (const LaneGroup& part : warp.exchange_groups)
    if ((part.mask & mask) != 0) go(part.where, part.mask & mask);
}

// The deepest call first, then the lowest block, so that groups merge.
bool before(const LaneGroup& a, const LaneGroup& b) {
  return a.where->depth != b.where->depth ? a.where->depth > b.where->depth : a.block < b.block;
}

// Makes groups of one function's lanes in the warp form: at the current block, and where the divergence stack says.
void spread(Warp& warp, Activation& a, uint32_t block, uint32_t mask, const Activation::Calling& at) {
  arrive_at(warp, &a, block, mask);
  const uint32_t bottom = a.caller ? a.caller->calling.depth : 0;
  for (uint32_t d = at.depth; d-- > bottom;) {
    const jit::Divergence& entry = warp.divergence[d];
    arrive_at(warp, &a, entry.second, entry.second_mask);
    // Lanes that wait at the reconvergence point of this entry, not of an inner one.
    const uint32_t inside = d + 1 < at.depth ? warp.divergence[d + 1].full_mask : at.running;
    if (entry.reconvergence != jit::kExitBlock)
      arrive_at(warp, &a, entry.reconvergence,
                entry.full_mask & ~warp.exited & ~at.returned & ~inside & ~entry.second_mask);
  }
  const uint32_t returned = a.lanes & at.returned & ~warp.exited;
  if (!a.caller || returned == 0) return;
  arrive_at(warp, a.caller, a.after, returned);
  leave(warp, a, returned);
}

}  // namespace

jit::GroupFunction group_form(Warp& warp, LoadedKernel& code) {
  while (!code.group_form) {
    warp.wants_group_form = &code;
    warp.fiber->leave();
  }
  if (warp.fiber->stack_left() < code.group_frame_bytes + Fiber::kLeastBytes) {
    Fault fault;
    fault.kind = FaultKind::StackOverflow;
    fault.message = fmt::format("stack overflow: lanes that run apart in '{}' take {} KB of the host's stack",
                                code.prepared.code.name, code.group_frame_bytes >> 10);
    raise(warp, std::move(fault));
  }
  return code.group_form;
}

void arrive_at(Warp& warp, Activation* where, uint32_t block, uint32_t mask) {
  if (mask == 0) return;
  LaneGroup group;
  group.where = where;
  group.block = block;
  group.mask = mask;
  group.apart = warp.apart;
  join(warp, group);
}

void release_waiting(Warp& warp) {
  while (release_warp_syncs(warp) || release_exchange(warp, same_place) || release_exchange(warp, same_kind)) {
  }
}

void release_groups(Warp& warp, uint32_t barrier) {
  warp.apart = warp.turns_taken = 0;
  std::vector<LaneGroup> released;
  std::erase_if(warp.groups, [&](const LaneGroup& g) {
    if (g.state != State::AtBarrier || g.barrier != barrier) return false;
    released.push_back(g);
    return true;
  });
  for (const LaneGroup& g : released) {
    // The result of a reduction goes to the register file, into the lanes that waited.
    const ir::Function& code = g.where->code->prepared.code;
    const ir::Instruction& in = code.instructions[g.instruction];
    if (!in.dst.empty() && in.dst[0].kind == ir::Operand::Kind::Register) {
      const jit::BarrierKind kind = in.mods.mode == ir::Mode::BarRedPopc  ? jit::BarrierKind::RedPopc
                                    : in.mods.mode == ir::Mode::BarRedAnd ? jit::BarrierKind::RedAnd
                                                                          : jit::BarrierKind::RedOr;
      const uint32_t result = barrier_result(warp.owner->barriers[barrier], kind);
      uint8_t* file = g.where->registers + uint64_t{in.dst[0].id} * jit::register_stride(code);
      if (code.registers[in.dst[0].id].type == ir::Type::Pred) {
        auto* mask = reinterpret_cast<uint32_t*>(file);
        *mask = (*mask & ~g.mask) | (result != 0 ? g.mask : 0);
      } else {
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
          if (g.mask >> lane & 1) reinterpret_cast<uint32_t*>(file)[lane] = result;
      }
    }
    arrive_at(warp, g.where, g.block, g.mask);
  }
  if (!released.empty() && warp.state == Warp::State::AtBarrier) warp.state = Warp::State::Ready;
}

namespace {

// The group to run: of the lanes that run, the first in order. When all of these wait or are done, the next ones in the
// order of the program behind where that was, and behind the end its beginning: groups that others have left behind, or
// that wait at the beginning of a loop with a YIELD.
size_t choose(Warp& warp, const PollingLanes& polling) {
  const size_t none = warp.groups.size();
  size_t chosen = none, other = none;
  const auto rank = [&](const LaneGroup& g) { return g.block - warp.group_block - 1; };
  for (size_t i = 0; i < warp.groups.size(); ++i) {
    const LaneGroup& g = warp.groups[i];
    if (g.state != State::Ready || polling.rest(g)) continue;
    if (g.apart == warp.apart && g.turn != InLoop::Waits) {
      if (chosen == none || before(g, warp.groups[chosen])) chosen = i;
    } else if (other == none || rank(g) < rank(warp.groups[other])) {
      other = i;
    }
  }
  return chosen != none ? chosen : other;
}

}  // namespace

void run_lane_groups(Warp& warp) {
  unsigned in_a_row = 0;
  uint64_t steps = 0;
  uint32_t shared_atomics = warp.shared_atomics;
  bool goes_on = false;  // since the warp last yielded
  warp.goes_on = true;   // for all that is known
  PollingLanes polling(warp);
  const auto can_run = [&](const LaneGroup& g) {
    return g.state == State::Ready && g.turn != InLoop::Waits && !polling.rest(g);
  };
  while (!warp.groups.empty()) {
    begin_joined(warp);
    size_t chosen = choose(warp, polling);
    if (chosen != warp.groups.size() && warp.groups[chosen].turn == InLoop::Waits) {
      begin_turn(warp, *warp.groups[chosen].where, warp.groups[chosen].block);
      continue;
    }
    if (chosen == warp.groups.size()) {
      // All groups wait, perhaps for other warps.
      if (polling.any()) {
        if (!polling.wake()) polling.leave();
        continue;
      }
      warp.state = Warp::State::AtBarrier;
      warp.fiber->leave();
      continue;
    }
    if (++in_a_row > kTurnsBeforeOthers) {
      in_a_row = 0;
      // The group that has waited longest: groups are appended as they arrive.
      for (size_t i = 0; i < warp.groups.size(); ++i)
        if (can_run(warp.groups[i]) && i != chosen) {
          chosen = i;
          break;
        }
    }
    const LaneGroup group = warp.groups[chosen];
    if (!polling.may_run(group)) continue;
    warp.apart = group.apart;
    if (group.turn == InLoop::Comes &&
        (takes_turn(warp, *group.where, group.block) || yields(warp, *group.where, group.block))) {
      warp.groups[chosen].turn = InLoop::Waits;
      warp.group_block = group.block;
      continue;
    }
    warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(chosen));
    warp.group_block = group.block;
    if (warp.joining.loop == group.block)
      warp.leaving = std::exchange(warp.joining, {});
    else if (warp.leaving.loop == group.block)
      warp.leaving = {};
    if (group.exchange_id != 0) {
      run_exchange(warp, group);
    } else {
      const jit::GroupFunction step = group_form(warp, *group.where->code);
      make_current(warp, *group.where);
      if (!group.where->code->prepared.loops.endless[group.block]) goes_on = warp.goes_on = true;
      step(&warp, group.block, group.mask);
    }
    // Who has let others go before an atomic since need not in the middle of what follows, which a lock may guard.
    if (++steps % 256 == 0 && std::exchange(shared_atomics, warp.shared_atomics) == warp.shared_atomics) {
      warp.goes_on = std::exchange(goes_on, false);
      dw_back_edge(&warp, group.block, group.mask, static_cast<uint32_t>(analysis::Waiting::Perhaps));
      polling.next_turn();
    }
  }
}

}  // namespace drywarp::exec

using namespace drywarp::exec;

extern "C" {

void dw_hand_over(WarpContext* context, uint32_t block, uint32_t mask, uint32_t depth, uint32_t returned) {
  Warp& warp = warp_of(context);
  warp.grouped = true;
  ++warp.owner->grouped;
  Activation* a = warp.inside;
  spread(warp, *a, block, mask, {mask, depth, returned, 0, nullptr});
  if (yields(warp, *a, block)) begin_apart(warp, block);
  // Then its callers, each in the middle of a call.
  for (; a->caller; a = a->caller) {
    Activation& caller = *a->caller;
    const Activation::Calling& at = caller.calling;
    spread(warp, caller, a->after, at.running & ~warp.exited & ~a->lanes & ~at.pending, at);
    make_current(warp, caller);
    dw_group_call_indirect(context, a->call, at.pending & ~warp.exited, const_cast<uint64_t*>(at.targets), a->after);
  }
  run_lane_groups(warp);
  end_of_warp(warp);
  for (;;) warp.fiber->leave();
}

void dw_group_go(WarpContext* context, uint32_t block, uint32_t mask) {
  Warp& warp = warp_of(context);
  const uint32_t apart = std::exchange(warp.apart, apart_behind(warp, block));
  from_here(warp, mask, [&](Activation* where, uint32_t lanes) { arrive_at(warp, where, block, lanes); });
  warp.apart = apart;
}

void dw_group_exit(WarpContext* context, uint32_t mask) {
  Warp& warp = warp_of(context);
  warp.exited |= mask;
  remove_lanes(warp, mask);
  release_waiting(warp);
  complete_barriers(*warp.owner);
}

void dw_group_return(WarpContext* context, uint32_t mask) {
  Warp& warp = warp_of(context);
  Activation& a = *warp.inside;
  arrive_at(warp, a.caller, a.after, mask);
  leave(warp, a, mask);
}

void dw_group_converge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t members) {
  Warp& warp = warp_of(context);
  from_here(warp, mask, [&](Activation* where, uint32_t lanes) {
    LaneGroup group;
    group.where = where;
    group.block = block;
    group.mask = lanes;
    group.members = members;
    group.state = State::Converging;
    join(warp, group);
  });
  release_waiting(warp);
}

void dw_group_warp_sync(WarpContext* context, uint32_t next, uint32_t mask, uint32_t members) {
  Warp& warp = warp_of(context);
  LaneGroup group;
  group.where = warp.inside;
  group.block = next;
  group.mask = mask;
  group.members = members;
  group.state = State::AtWarpSync;
  warp.groups.push_back(group);
  release_waiting(warp);
}

void dw_group_barrier(WarpContext* context, uint32_t instruction, uint32_t next, uint32_t kind, uint32_t barrier,
                      uint32_t threads, uint32_t mask, uint32_t predicate) {
  Warp& warp = warp_of(context);
  const bool of_cluster = barrier == drywarp::jit::kClusterBarrier;
  const bool waits = static_cast<drywarp::jit::BarrierKind>(kind) != drywarp::jit::BarrierKind::Arrive;
  if (of_cluster && !waits) arrive_at_cluster(warp, mask, instruction);
  if (of_cluster && (!waits || passes_cluster(warp, mask))) return arrive_at(warp, warp.inside, next, mask);
  if (!waits) {
    arrive(warp, barrier, threads, mask, predicate, instruction);
    return arrive_at(warp, warp.inside, next, mask);
  }
  LaneGroup group;
  group.where = warp.inside;
  group.block = next;
  group.mask = mask;
  group.state = State::AtBarrier;
  group.barrier = barrier;
  group.instruction = instruction;
  if (!of_cluster) group.ran_on = lanes_that_run_on(warp, barrier);
  warp.groups.push_back(group);
  if (of_cluster) return;
  arrive(warp, barrier, threads, mask, predicate, instruction);
}

}  // extern "C"
