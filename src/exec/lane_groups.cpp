// The lane-group scheduler: the lanes of one warp as groups that each have their own place in the program, run one
// block at a time in an order that is fair, so that a lane which waits for another one never keeps it from running.
// Groups that reach the same block merge. Used only by warps that need it (see jit/function_emitter.h).
#include <algorithm>
#include <bit>

#include "exec/loaded_module.h"
#include "exec/runtime.h"

namespace drywarp::exec {
namespace {

using State = LaneGroup::State;

constexpr unsigned kTurnsBeforeOthers = 64;  // blocks that the lowest place may run in a row while others are ready

// The group form is compiled on the scheduler's stack: the compiler needs more than a fiber has.
void need_group_form(Warp& warp) {
  warp.wants_group_form = true;
  while (warp.wants_group_form) warp.fiber->leave();
}

// A group arrives at a block: it joins one that is already there.
void arrive_at(Warp& warp, uint32_t block, uint32_t mask) {
  for (LaneGroup& g : warp.groups) {
    if (g.block != block || (g.state != State::Ready && g.state != State::Converging)) continue;
    g.mask |= mask;
    g.state = State::Ready;  // a converging group looks again
    return;
  }
  LaneGroup group;
  group.block = block;
  group.mask = mask;
  warp.groups.push_back(group);
}

// Lanes at warp-wide syncs go on when every member that still lives is at one.
bool release_warp_syncs(Warp& warp) {
  uint32_t waiting = 0;
  for (const LaneGroup& g : warp.groups)
    if (g.state == State::AtWarpSync) waiting |= g.mask;
  bool released = false;
  for (size_t i = 0; i < warp.groups.size(); ++i) {
    LaneGroup g = warp.groups[i];
    if (g.state != State::AtWarpSync || (g.members & warp.live & ~warp.exited & ~waiting) != 0) continue;
    warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(i));
    arrive_at(warp, g.block, g.mask);
    released = true;
    i = static_cast<size_t>(-1);  // from the start: the list has changed
  }
  return released;
}

// Converging groups go on without members that have ended.
bool retry_converging(Warp& warp) {
  bool any = false;
  for (LaneGroup& g : warp.groups) {
    if (g.state != State::Converging) continue;
    if ((g.members & warp.live & ~warp.exited & ~g.mask) == 0) {
      g.state = State::Ready;
      any = true;
    }
  }
  return any;
}

}  // namespace

void release_groups(Warp& warp, uint32_t barrier) {
  const ir::Function& code = warp.worker->launch->kernel->prepared.code;
  std::vector<LaneGroup> released;
  std::erase_if(warp.groups, [&](const LaneGroup& g) {
    if (g.state != State::AtBarrier || g.barrier != barrier) return false;
    released.push_back(g);
    return true;
  });
  for (const LaneGroup& g : released) {
    // The result of a reduction goes to the register file, into the lanes that waited.
    const ir::Instruction& in = code.instructions[g.instruction];
    if (!in.dst.empty() && in.dst[0].kind == ir::Operand::Kind::Register) {
      const jit::BarrierKind kind = in.mods.mode == ir::Mode::BarRedPopc  ? jit::BarrierKind::RedPopc
                                    : in.mods.mode == ir::Mode::BarRedAnd ? jit::BarrierKind::RedAnd
                                                                          : jit::BarrierKind::RedOr;
      const uint32_t result = barrier_result(warp.owner->barriers[barrier], kind);
      uint8_t* file = warp.registers + uint64_t{in.dst[0].id} * jit::kRegisterStride;
      if (code.registers[in.dst[0].id].type == ir::Type::Pred) {
        auto* mask = reinterpret_cast<uint32_t*>(file);
        *mask = (*mask & ~g.mask) | (result != 0 ? g.mask : 0);
      } else {
        for (uint32_t lane = 0; lane < kWarpSize; ++lane)
          if (g.mask >> lane & 1) reinterpret_cast<uint32_t*>(file)[lane] = result;
      }
    }
    arrive_at(warp, g.block, g.mask);
  }
  if (!released.empty() && warp.state == Warp::State::AtBarrier) warp.state = Warp::State::Ready;
}

void run_lane_groups(Warp& warp) {
  need_group_form(warp);
  const jit::GroupFunction step = warp.worker->launch->kernel->group_form;
  unsigned in_a_row = 0;
  uint64_t steps = 0;
  while (!warp.groups.empty()) {
    // The lowest place first, so that groups meet; but nobody waits for ever.
    size_t chosen = warp.groups.size();
    for (size_t i = 0; i < warp.groups.size(); ++i)
      if (warp.groups[i].state == State::Ready &&
          (chosen == warp.groups.size() || warp.groups[i].block < warp.groups[chosen].block))
        chosen = i;
    if (chosen == warp.groups.size()) {
      if (release_warp_syncs(warp) || retry_converging(warp)) continue;
      // Everybody waits: at barriers of the block, perhaps. Other warps may complete them.
      warp.state = Warp::State::AtBarrier;
      warp.fiber->leave();
      continue;
    }
    if (++in_a_row > kTurnsBeforeOthers) {
      in_a_row = 0;
      // The one that has waited longest: groups are appended as they arrive.
      for (size_t i = 0; i < warp.groups.size(); ++i)
        if (warp.groups[i].state == State::Ready && i != chosen) {
          chosen = i;
          break;
        }
    }
    const LaneGroup group = warp.groups[chosen];
    warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(chosen));
    step(&warp, group.block, group.mask);
    if (++steps % 256 == 0) dw_back_edge(&warp, group.block, group.mask, 0);
  }
}

}  // namespace drywarp::exec

using namespace drywarp::exec;

extern "C" {

void dw_group_go(WarpContext* context, uint32_t block, uint32_t mask) {
  if (mask != 0) arrive_at(warp_of(context), block, mask);
}

void dw_group_exit(WarpContext* context, uint32_t mask) {
  Warp& warp = warp_of(context);
  warp.exited |= mask;
  release_warp_syncs(warp);
  retry_converging(warp);
  complete_barriers(*warp.owner);
}

void dw_group_converge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t members) {
  Warp& warp = warp_of(context);
  for (LaneGroup& g : warp.groups) {
    if (g.block != block || (g.state != State::Ready && g.state != State::Converging)) continue;
    g.mask |= mask;
    g.members |= members;
    g.state = State::Ready;
    return;
  }
  LaneGroup group;
  group.block = block;
  group.mask = mask;
  group.members = members;
  group.state = State::Converging;
  warp.groups.push_back(group);
}

void dw_group_warp_sync(WarpContext* context, uint32_t next, uint32_t mask, uint32_t members) {
  Warp& warp = warp_of(context);
  LaneGroup group;
  group.block = next;
  group.mask = mask;
  group.members = members;
  group.state = State::AtWarpSync;
  warp.groups.push_back(group);
  release_warp_syncs(warp);
}

void dw_group_barrier(WarpContext* context, uint32_t instruction, uint32_t next, uint32_t kind, uint32_t barrier,
                      uint32_t threads, uint32_t mask, uint32_t predicate) {
  Warp& warp = warp_of(context);
  const auto what = static_cast<drywarp::jit::BarrierKind>(kind);
  // Lanes of one warp at two different barriers: an aligned barrier is for whole warps.
  for (const LaneGroup& g : warp.groups) {
    if (g.state != State::AtBarrier || g.barrier != barrier || g.instruction == instruction) continue;
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask)),
               other = static_cast<uint32_t>(std::countr_zero(g.mask));
    raise(warp, fault_at(warp, FaultKind::BarrierDeadlock, instruction, lane,
                         "threads of one warp wait at two different barriers: thread (" +
                             std::to_string(warp.tid[0][lane]) + "," + std::to_string(warp.tid[1][lane]) + "," +
                             std::to_string(warp.tid[2][lane]) + ") at " + place_of(warp, instruction) + ", thread (" +
                             std::to_string(warp.tid[0][other]) + "," + std::to_string(warp.tid[1][other]) + "," +
                             std::to_string(warp.tid[2][other]) + ") at " + place_of(warp, g.instruction) +
                             "; every thread of a block must reach the same __syncthreads()"));
  }
  LaneGroup group;
  group.block = next;
  group.mask = mask;
  group.state = State::AtBarrier;
  group.barrier = barrier;
  group.instruction = instruction;
  if (what == drywarp::jit::BarrierKind::Arrive) {
    arrive(warp, barrier, what, threads, mask, predicate, instruction);
    arrive_at(warp, next, mask);
    return;
  }
  warp.groups.push_back(group);
  arrive(warp, barrier, what, threads, mask, predicate, instruction);
}

}  // extern "C"
