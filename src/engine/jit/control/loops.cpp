// Loops: when to look whether to stop, and when to hand over to the lane-group scheduler.
#include "engine/jit/control/control_flow.h"

namespace drywarp::jit {

using ir::BlockId;
using llvm::BasicBlock;

namespace {

constexpr uint32_t kLoopBudget = 1000;  // loop iterations from one dw_back_edge to the next
constexpr uint32_t kWaitBudget = 4;     // the same for a loop that only waits

}  // namespace

void ControlFlow::start_budgets() {
  b.CreateStore(i32(kLoopBudget), budget_slot_);
  reset_wait_budget();
  if (f.warp_form()) note_left_loop();
}

void ControlFlow::note_left_loop() { b.CreateStore(i32(1), f.context_address(offsetof(WarpContext, left_loop))); }

void ControlFlow::check_loop(BlockId block, analysis::Waiting waiting, bool polls) {
  Value* hand_over =
      f.call_runtime(runtime::back_edge, {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot),
                                          i32(static_cast<uint32_t>(waiting) | (polls ? kEachPoll : 0))});
  if (f.options.reschedules && waiting != analysis::Waiting::Never)
    f.when(b.CreateICmpNE(hand_over, i32(0)), false, [&] { emit_hand_over(block); });
}

void ControlFlow::emit_loop_check(BlockId block) {
  const analysis::Waiting waiting = f.prepared.loops.header[block];
  if (f.options.events.polls && f.prepared.loops.polls_header[block]) return check_loop(block, waiting, true);
  const bool only_waits = waiting == analysis::Waiting::Only;
  Value* const slot = only_waits ? wait_slot_ : budget_slot_;
  Value* budget = b.CreateSub(b.CreateLoad(b.getInt32Ty(), slot), i32(1));
  b.CreateStore(budget, slot);
  f.when(b.CreateICmpEQ(budget, i32(0)), false, [&] {
    b.CreateStore(i32(only_waits ? kWaitBudget : kLoopBudget), slot);
    check_loop(block, waiting, false);
  });
}

void ControlFlow::emit_turn(BlockId block) {
  const uint32_t turns = (f.prepared.racing.in_block[block] ? kBlockTurns : 0) |
                         (f.prepared.racing.in_grid[block] ? kGridTurns : 0) |
                         (f.options.reschedules && f.prepared.racing.yielding.contains(block) ? kLaneTurns : 0);
  if (turns == 0) return;
  Value* taken = b.CreateAnd(f.context_field(offsetof(WarpContext, turns), b.getInt32Ty()), i32(turns));
  f.when(b.CreateICmpNE(taken, i32(0)), false, [&] {
    Value* apart =
        f.call_runtime(runtime::take_turn, {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot)});
    if ((turns & kLaneTurns) != 0) f.when(b.CreateICmpNE(apart, i32(0)), false, [&] { emit_hand_over(block); });
  });
}

void ControlFlow::reset_wait_budget() {
  b.CreateStore(i32(kWaitBudget), wait_slot_);
  b.CreateStore(i32(0), f.context_address(offsetof(WarpContext, loop_checks)));
}

void ControlFlow::save_registers(const analysis::RegisterSet& needed) {
  for (ir::RegisterId r : needed.list()) values_.write_file(r, values_.read_wide(r));
}

void ControlFlow::emit_hand_over(BlockId block) {
  // All registers that lanes can still read, in this block or in blocks where lanes wait.
  analysis::RegisterSet needed = f.prepared.live.live_in[block];
  needed.merge(f.prepared.shapes.kept[block]);
  save_registers(needed);
  f.call_runtime(runtime::hand_over,
                 {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot),
                  b.CreateLoad(b.getInt32Ty(), f.depth_slot), b.CreateLoad(b.getInt32Ty(), f.ended_slot)});
  b.CreateUnreachable();
}

}  // namespace drywarp::jit
