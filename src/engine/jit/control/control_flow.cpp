// Blocks and their counts, branches, ends.
#include <algorithm>

#include "engine/jit/control/control_flow.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::BlockId;
using ir::Opcode;
using llvm::BasicBlock;

ControlFlow::ControlFlow(FunctionCode& code, Values& values, EventReports& reports)
    : Part(code), values_(values), reports_(reports) {
  budget_slot_ = f.entry_slot(b.getInt32Ty(), "budget");
  wait_slot_ = f.entry_slot(b.getInt32Ty(), "wait.budget");
  base_depth_ = f.code.is_kernel ? i32(0) : f.context_field(offsetof(WarpContext, depth), b.getInt32Ty());
  blocks_.assign(f.code.blocks.size(), nullptr);
  dispatch_blocks_.assign(f.code.blocks.size(), nullptr);
}

void ControlFlow::emit_entry() {
  b.CreateStore(base_depth_, f.depth_slot);
  start_budgets();
  for (BlockId id : f.prepared.flow.order)
    blocks_[id] = BasicBlock::Create(b.getContext(), "b" + std::to_string(id), f.function);
  if (!f.warp_form()) return emit_group_dispatch();
  exit_dispatch_ = BasicBlock::Create(b.getContext(), "exit", f.function);
  for (BlockId id : f.prepared.flow.order) {
    if (!f.prepared.shapes.divergent[id]) continue;
    const BlockId reconvergence = f.prepared.flow.reconvergence[id];
    if (reconvergence != ir::kExit && !dispatch_blocks_[reconvergence])
      dispatch_blocks_[reconvergence] =
          BasicBlock::Create(b.getContext(), "reconverge" + std::to_string(reconvergence), f.function);
  }
  b.CreateBr(entry_of(0));
}

void ControlFlow::emit_group_dispatch() {
  auto* none = BasicBlock::Create(b.getContext(), "no.block", f.function);
  llvm::SwitchInst* choose = b.CreateSwitch(f.function->getArg(1), none);
  for (BlockId id : f.prepared.flow.order) choose->addCase(b.getInt32(id), blocks_[id]);
  b.SetInsertPoint(none);
  b.CreateUnreachable();
}

void ControlFlow::begin_block(BlockId block) {
  b.SetInsertPoint(blocks_[block]);
  if (f.warp_form() && f.prepared.loops.after[block]) reset_wait_budget();
  if (f.warp_form() && f.prepared.loops.after_endless[block]) note_left_loop();
  if (f.warp_form() && f.options.events.polls && f.prepared.loops.after_polls[block])
    f.call_runtime(runtime::polled, {f.context, i32(block)});
  if (!f.warp_form() || !f.prepared.flow.loop_header[block]) return;
  emit_loop_check(block);
  emit_turn(block);
}

llvm::BasicBlock* ControlFlow::entry_of(BlockId block) {
  return dispatch_blocks_[block] ? dispatch_blocks_[block] : blocks_[block];
}

// Marks registers as undefined that both sides of the branch write before they read. Otherwise their live ranges would
// begin at the function's start, as waiting lanes keep what the first side wrote.
void ControlFlow::start_live_ranges(BlockId branch) {
  analysis::RegisterSet alive = f.prepared.shapes.kept[branch];
  for (BlockId s : f.code.blocks[branch].successors)
    if (s != ir::kExit) alive.merge(f.prepared.live.live_in[s]);
  const BlockId reconvergence = f.prepared.flow.reconvergence[branch];
  if (reconvergence == ir::kExit) return;
  for (ir::RegisterId r : f.prepared.live.live_in[reconvergence].list())
    if (!alive.has(r)) values_.forget(r);
}

void ControlFlow::count_block(BlockId block) {
  if (!f.options.counters) return;
  Value* at = f.counter(offsetof(WarpContext, blocks), uint64_t{block} * sizeof(BlockCounts));
  Value* lanes = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b.CreateLoad(b.getInt32Ty(), f.mask_slot));
  f.add_counter(at, offsetof(BlockCounts, warps), i64(1));
  f.add_counter(at, offsetof(BlockCounts, lanes), b.CreateZExt(lanes, b.getInt64Ty()));
}

void ControlFlow::advance_clock(uint32_t first, uint32_t end) {
  if (!f.options.clocked) return;
  uint64_t cycles = 0;
  for (uint32_t i = first; i < end && (i == first || !analysis::reads_clock(f.code.instructions[i])); ++i)
    cycles += ir::counts(f.code.instructions[i].origin);
  if (cycles != 0) f.add_counter(f.context_field(offsetof(WarpContext, clock), b.getPtrTy()), 0, i64(cycles));
}

bool ControlFlow::ends_thread(const ir::Instruction& in) const { return f.code.is_kernel || in.op == Opcode::Exit; }

void ControlFlow::jump(BlockId block, bool thread_ends) {
  if (block == ir::kExit) return emit_exit(b.CreateLoad(b.getInt32Ty(), f.mask_slot), thread_ends);
  if (f.warp_form()) {
    b.CreateBr(entry_of(block));
    return;
  }
  f.call_runtime(runtime::group_go, {f.context, i32(block), b.CreateLoad(b.getInt32Ty(), f.mask_slot)});
  b.CreateBr(f.return_block);
}

bool ControlFlow::emit_control(const ir::Instruction& in, uint32_t index, BlockId block) {
  switch (in.op) {
    case Opcode::Bra:
      emit_branch(in, block);
      return true;
    case Opcode::BrxIdx:
      emit_index_branch(in, index, block);
      return true;
    case Opcode::Ret:
    case Opcode::Exit:
      if (!in.guard) {
        emit_exit(b.CreateLoad(b.getInt32Ty(), f.mask_slot), ends_thread(in));
        return true;
      }
      emit_branch(in, block);
      return true;
    default:
      return false;
  }
}

void ControlFlow::emit_branch(const ir::Instruction& in, BlockId block) {
  const auto& successors = f.code.blocks[block].successors;
  if (!in.guard || successors.size() < 2) return jump(successors.empty() ? ir::kExit : successors[0], ends_thread(in));
  const BlockId taken = successors[0], next = successors[1];
  const uint32_t slot = f.prepared.numbers.branch[&in - f.code.instructions.data()];
  const ir::Operand predicate{ir::Operand::Kind::Register, in.guard.negate, {}, in.guard.reg, 0, 0, {}};
  Value* mask = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  auto count = [&](size_t field, Value* amount) {
    if (f.options.counters && slot != ir::kNone)
      f.add_counter(f.counter(offsetof(WarpContext, branches), slot * sizeof(BranchCounts)), field, amount);
  };
  auto go = [&](BlockId to, Value* lanes) {
    b.CreateStore(lanes, f.mask_slot);
    jump(to, ends_thread(in));
  };
  auto* taken_block = BasicBlock::Create(b.getContext(), "taken", f.function);
  auto* next_block = BasicBlock::Create(b.getContext(), "next", f.function);
  if (values_.is_uniform(predicate)) {
    Value* condition = values_.value_of(predicate, ir::Type::Pred, 1);
    count(offsetof(BranchCounts, taken), b.CreateZExt(condition, b.getInt64Ty()));
    b.CreateCondBr(condition, taken_block, next_block);
    b.SetInsertPoint(taken_block);
    go(taken, mask);
    b.SetInsertPoint(next_block);
    go(next, mask);
    return;
  }
  if (f.warp_form()) start_live_ranges(block);
  Value* taken_mask = b.CreateAnd(mask, f.lanes_to_mask(values_.value_of(predicate, ir::Type::Pred, 32)));
  Value* next_mask = b.CreateAnd(mask, b.CreateNot(taken_mask));
  Value* any_taken = b.CreateICmpNE(taken_mask, i32(0));
  count(offsetof(BranchCounts, taken), b.CreateZExt(any_taken, b.getInt64Ty()));
  auto* some_taken = BasicBlock::Create(b.getContext(), "some.taken", f.function);
  auto* both = BasicBlock::Create(b.getContext(), "both", f.function);
  b.CreateCondBr(any_taken, some_taken, next_block);
  b.SetInsertPoint(some_taken);
  b.CreateCondBr(b.CreateICmpEQ(next_mask, i32(0)), taken_block, both);
  b.SetInsertPoint(taken_block);
  go(taken, mask);
  b.SetInsertPoint(next_block);
  go(next, mask);
  b.SetInsertPoint(both);
  count(offsetof(BranchCounts, divergent), i64(1));
  diverge(taken, next, taken_mask, next_mask, block);
}

void ControlFlow::diverge(BlockId taken, BlockId next, Value* taken_mask, Value* next_mask, BlockId block) {
  const bool thread_ends = ends_thread(f.code.instructions[f.code.blocks[block].end - 1]);
  if (!f.warp_form()) {
    for (auto [to, lanes] : {std::pair{next, next_mask}, std::pair{taken, taken_mask}}) {
      if (to == ir::kExit) {
        if (thread_ends && f.options.events.exits) reports_.report_exit(lanes);
        f.call_runtime(thread_ends ? runtime::group_exit : runtime::group_return, {f.context, lanes});
      } else {
        f.call_runtime(runtime::group_go, {f.context, i32(to), lanes});
      }
    }
    b.CreateBr(f.return_block);
    return;
  }
  const BlockId reconvergence = f.prepared.flow.reconvergence[block];
  Value* mask = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  // A guarded exit: the lanes that take it end without waiting.
  for (bool first : {true, false}) {
    if ((first ? taken : next) != ir::kExit) continue;
    Value* leaving = first ? taken_mask : next_mask;
    if (thread_ends && f.options.events.exits) reports_.report_exit(leaving);
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), f.ended_slot), leaving), f.ended_slot);
    if (thread_ends) {
      Value* exited = f.context_address(offsetof(WarpContext, exited));
      b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), exited), leaving), exited);
    }
    b.CreateStore(first ? next_mask : taken_mask, f.mask_slot);
    b.CreateBr(entry_of(first ? next : taken));
    return;
  }
  if (taken == reconvergence || next == reconvergence) {
    const BlockId side = taken == reconvergence ? next : taken;
    Value* side_mask = taken == reconvergence ? next_mask : taken_mask;
    // In a loop, the first iteration that diverges pushes an entry without waiting lanes. Later ones reuse it.
    Value* depth = b.CreateLoad(b.getInt32Ty(), f.depth_slot);
    auto* look = BasicBlock::Create(b.getContext(), "look", f.function);
    auto* push = BasicBlock::Create(b.getContext(), "push", f.function);
    auto* run = BasicBlock::Create(b.getContext(), "run", f.function);
    b.CreateCondBr(b.CreateICmpUGT(depth, base_depth_), look, push);
    b.SetInsertPoint(look);
    Value* top = b.CreateSub(depth, i32(1));
    Value* same =
        b.CreateICmpEQ(b.CreateLoad(b.getInt32Ty(), divergence_field(top, kReconvergence)), i32(reconvergence));
    Value* idle = b.CreateICmpEQ(b.CreateLoad(b.getInt32Ty(), divergence_field(top, kSecondMask)), i32(0));
    b.CreateCondBr(b.CreateAnd(same, idle), run, push);
    b.SetInsertPoint(push);
    push_divergence(reconvergence, ir::kExit, i32(0), mask);
    b.CreateBr(run);
    b.SetInsertPoint(run);
    b.CreateStore(side_mask, f.mask_slot);
    b.CreateBr(entry_of(side));
    return;
  }
  push_divergence(reconvergence, taken, taken_mask, mask);
  b.CreateStore(next_mask, f.mask_slot);
  b.CreateBr(entry_of(next));
}

// brx.idx: the lanes with the first active lane's index branch; the others return to this block and repeat.
void ControlFlow::emit_index_branch(const ir::Instruction& in, uint32_t index, BlockId block) {
  auto* again = BasicBlock::Create(b.getContext(), "index.branch", f.function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  blocks_[block] = again;  // waiting lanes return to behind the counters
  const bool uniform = values_.is_uniform(in.src[0]);
  Value* mask = b.CreateLoad(b.getInt32Ty(), f.mask_slot);
  Value* lanes = uniform ? nullptr : values_.value_of(in.src[0], ir::Type::B32, 32);
  Value* chosen = uniform ? values_.value_of(in.src[0], ir::Type::B32, 1)
                          : b.CreateExtractElement(
                                lanes, b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {mask, b.getTrue()}));
  Value* go_mask = uniform ? mask : b.CreateAnd(mask, f.lanes_to_mask(b.CreateICmpEQ(lanes, f.widen(chosen))));
  Value* rest = b.CreateAnd(mask, b.CreateNot(go_mask));
  f.when(b.CreateICmpNE(rest, i32(0)), false, [&] {
    if (f.options.counters)
      f.add_counter(f.counter(offsetof(WarpContext, branches), f.prepared.numbers.branch[index] * sizeof(BranchCounts)),
                    offsetof(BranchCounts, divergent), i64(1));
    if (f.warp_form()) {
      push_divergence(f.prepared.flow.reconvergence[block], block, rest, mask);
    } else {
      f.call_runtime(runtime::group_go, {f.context, i32(block), rest});
    }
  });
  b.CreateStore(go_mask, f.mask_slot);
  auto* bad = BasicBlock::Create(b.getContext(), "bad.index", f.function);
  llvm::SwitchInst* choose = b.CreateSwitch(chosen, bad, in.targets.size());
  for (uint32_t i = 0; i < in.targets.size(); ++i) {
    auto* target = BasicBlock::Create(b.getContext(), "case", f.function);
    choose->addCase(b.getInt32(i), target);
    b.SetInsertPoint(target);
    jump(in.targets[i], f.code.is_kernel);
  }
  b.SetInsertPoint(bad);
  f.call_runtime(runtime::trap, {f.context, i32(index), i32(uint32_t(TrapReason::BadBranchIndex)), go_mask});
  b.CreateUnreachable();
}

void ControlFlow::emit_exit(Value* leaving, bool thread_ends) {
  if (thread_ends && f.options.events.exits) reports_.report_exit(leaving);
  if (!f.warp_form()) {
    f.call_runtime(thread_ends ? runtime::group_exit : runtime::group_return, {f.context, leaving});
    b.CreateBr(f.return_block);
    return;
  }
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), f.ended_slot), leaving), f.ended_slot);
  if (thread_ends) {
    Value* exited = f.context_address(offsetof(WarpContext, exited));
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), exited), leaving), exited);
  }
  b.CreateBr(exit_dispatch_);
}

static void add_case(llvm::SwitchInst* choose, llvm::IRBuilder<>& b, BlockId id, BasicBlock* block) {
  if (choose->findCaseValue(b.getInt32(id)) == choose->case_default()) choose->addCase(b.getInt32(id), block);
}

}  // namespace drywarp::jit
