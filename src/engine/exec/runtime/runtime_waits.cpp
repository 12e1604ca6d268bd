// Waiting: barriers, loops that may spin, handing over to the lane-group scheduler; and time.
#include <fmt/format.h>

#include <bit>
#include <utility>

#include "engine/exec/blocks/activation.h"
#include "engine/exec/blocks/cluster.h"
#include "engine/exec/blocks/runtime_functions.h"
#include "engine/exec/blocks/tell.h"
#include "engine/exec/blocks/turns.h"
#include "engine/exec/kernels/loaded_module.h"

using namespace drywarp;
using namespace drywarp::exec;
using jit::BarrierKind;

namespace {

constexpr uint64_t kClockRead = 32;  // cycles that reading the clock takes: loops that wait for it end soon

uint64_t cycles_to_nanoseconds(const Launch& launch, uint64_t cycles) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(cycles) * 1'000'000 / launch.clock_khz);
}

// Loop checks of a diverged warp in a loop that may wait for its own lanes; of one that is checked at each poll.
constexpr uint64_t kSpinsBeforeGroups = 8, kPollsBeforeGroups = 1024;

// What a warp writes once a poll has ended is seen two polls later: a store takes longer to another SM than a poll
// does.
constexpr unsigned kPausesBehindPoll = 2;

uint32_t use_cluster_barrier(Warp& warp, BarrierKind kind, uint32_t mask, uint32_t instruction) {
  if (mask == 0) return 0;
  if (kind == BarrierKind::Arrive) {
    arrive_at_cluster(warp, mask, instruction);
    return 0;
  }
  has_read(warp);
  if (passes_cluster(warp, mask)) return 0;
  warp.barrier = jit::kClusterBarrier;
  warp.barrier_instruction = instruction;
  warp.barrier_mask = mask;
  warp.state = Warp::State::AtBarrier;
  while (warp.state == Warp::State::AtBarrier) warp.fiber->leave();
  return 0;
}

// A trap is all that code which synchronizes the grid can do without a workspace.
Fault trapped(const Warp& warp, uint32_t instruction, uint32_t lane) {
  if (warp.worker->launch->workspace == 0 && warp.inside->code->prepared.uses_workspace)
    return fault_at(warp, FaultKind::NotCooperative, instruction, lane, kNotCooperative);
  return fault_at(warp, FaultKind::Trap, instruction, lane, "the kernel executed a trap");
}

}  // namespace

extern "C" {

uint32_t dw_barrier(WarpContext* context, uint32_t instruction, uint32_t kind_number, uint32_t barrier,
                    uint32_t threads, uint32_t mask, uint32_t predicate) {
  Warp& warp = warp_of(context);
  const auto kind = static_cast<BarrierKind>(kind_number);
  if (barrier == jit::kClusterBarrier) return use_cluster_barrier(warp, kind, mask, instruction);
  warp.barrier = barrier;
  warp.barrier_instruction = instruction;
  warp.barrier_mask = mask;
  if (kind == BarrierKind::Arrive) {
    arrive(warp, barrier, threads, mask, predicate, instruction);
    return 0;
  }
  has_read(warp);
  warp.turns_taken = 0;
  // Set the state first, then count: completion releases this warp with the others.
  warp.state = Warp::State::AtBarrier;
  const bool last_to_arrive = arrive(warp, barrier, threads, mask, predicate, instruction);
  // After a barrier warps continue in the order of their numbers, much as a GPU's oldest-first schedulers do. Otherwise
  // the last to arrive would run ahead and overwrite what the others still read.
  if (last_to_arrive && warp.owner->warps.size() > 1) warp.fiber->leave();
  while (warp.state == Warp::State::AtBarrier) warp.fiber->leave();
  return barrier_result(warp.owner->barriers[barrier], kind);
}

void dw_let_others_read(WarpContext* context) {
  Warp& warp = warp_of(context);
  has_read(warp);
  if (warp.owner->behind != 0) warp.fiber->leave();
}

uint32_t dw_back_edge(WarpContext* context, uint32_t block, uint32_t mask, uint32_t waiting) {
  Warp& warp = warp_of(context);
  const ir::Function& code = running_code(warp);
  stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
  const auto loop = static_cast<analysis::Waiting>(waiting & ~jit::kEachPoll);
  const uint64_t before_groups = (waiting & jit::kEachPoll) != 0 ? kPollsBeforeGroups : kSpinsBeforeGroups;
  if (!warp.grouped)
    warp.on_objects_alone = loop == analysis::Waiting::Only && warp.inside->code->prepared.loops.on_objects[block] &&
                            polled_in_vain(warp) == living(warp);
  if (loop != analysis::Waiting::Never) {
    if (!warp.grouped) warp.goes_on = !warp.inside->code->prepared.loops.endless[block];
    // A lane may wait for another one of its warp, unless other warps of the block make progress.
    const bool lanes_elsewhere = (living(warp) & ~mask) != 0;
    const bool in_vain = std::exchange(warp.seen_progress, warp.owner->progress) == warp.owner->progress;
    if (!warp.grouped && lanes_elsewhere && (in_vain || loop != analysis::Waiting::Only) &&
        ++warp.loop_checks >= before_groups)
      return 1;
    warp.yielded = true;
    warp.waits = loop == analysis::Waiting::Only;
    warp.fiber->leave();
    stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
  }
  return 0;
}

uint32_t dw_take_turn(WarpContext* context, uint32_t block, uint32_t mask) {
  Warp& warp = warp_of(context);
  if (takes_turn(warp, *warp.inside, block)) take_turn(warp, block);
  return yields(warp, *warp.inside, block) ? living(warp) & ~mask : 0;
}

void dw_polled(WarpContext* context, uint32_t block) {
  Warp& warp = warp_of(context);
  const ir::Function& code = running_code(warp);
  warp.loop_checks = 0;
  for (unsigned pause = 0; pause < kPausesBehindPoll; ++pause) warp.fiber->leave();  // not yielded: it goes on
  stop_if_asked(warp, block < code.blocks.size() ? code.blocks[block].first : 0);
}

uint64_t dw_clock(WarpContext* context, uint32_t kind) {
  Warp& warp = warp_of(context);
  switch (static_cast<jit::ClockKind>(kind)) {
    case jit::ClockKind::Clock64:
      return warp.worker->clock += kClockRead;
    case jit::ClockKind::GlobalTimer:
      return cycles_to_nanoseconds(*warp.worker->launch, warp.worker->clock += kClockRead);
    case jit::ClockKind::NsmId:
      return 1;
    default:
      return 0;
  }
}

void dw_sleep(WarpContext* context, uint32_t nanoseconds) {
  Warp& warp = warp_of(context);
  warp.worker->clock += nanoseconds * warp.worker->launch->clock_khz / 1'000'000;
  stop_if_asked(warp, 0);
  if (warp.left_loop != 0) warp.goes_on = true;  // the loop that it is in now has not been looked at
  warp.yielded = warp.waits = true;
  warp.fiber->leave();
}

void dw_trap(WarpContext* context, uint32_t instruction, uint32_t reason, uint32_t mask) {
  Warp& warp = warp_of(context);
  const auto lane = static_cast<uint32_t>(std::countr_zero(mask | 0x80000000u));
  const ir::Function& code = running_code(warp);
  switch (static_cast<jit::TrapReason>(reason)) {
    case jit::TrapReason::Breakpoint:
      return;  // no debugger is attached
    case jit::TrapReason::Trap:
      raise(warp, trapped(warp, instruction, lane));
    case jit::TrapReason::BadBranchIndex:
      raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                           "an indirect branch to an index outside its table"));
    case jit::TrapReason::Unsupported:
      raise(warp, fault_at(warp, FaultKind::IllegalInstruction, instruction, lane,
                           fmt::format("the instruction '{}' cannot be run yet",
                                       ir::info(code.instructions[instruction].op).mnemonic)));
  }
}

}  // extern "C"
