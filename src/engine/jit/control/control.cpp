// Control flow: branches, divergence and reconvergence, exits, loop budgets, and block counters.
//
// In warp form, one side of a divergent branch runs first. The other waits in an entry of the divergence stack, with
// the reconvergence point of both. A reconvergence point begins with a dispatch that reads the top entry: if lanes
// wait, they run now; if none wait, all lanes that entered the branch continue together. A side that is the
// reconvergence point itself never waits, so a loop whose lanes leave one by one needs only one entry.
#include <algorithm>

#include "engine/jit/function_emitter.h"
#include "language/analysis/passes.h"

namespace drywarp::jit {

using ir::BlockId;
using ir::Opcode;
using llvm::BasicBlock;

namespace {
constexpr unsigned kReconvergence = offsetof(Divergence, reconvergence), kSecond = offsetof(Divergence, second),
                   kSecondMask = offsetof(Divergence, second_mask), kFullMask = offsetof(Divergence, full_mask);
constexpr uint32_t kLoopBudget = 1000;  // loop iterations from one dw_back_edge to the next
constexpr uint32_t kWaitBudget = 4;     // the same for a loop that only waits
}  // namespace

llvm::BasicBlock* FunctionEmitter::entry_of(BlockId block) {
  return dispatch_blocks_[block] ? dispatch_blocks_[block] : blocks_[block];
}

// Address of a field of entry `index` of the divergence stack.
llvm::Value* FunctionEmitter::divergence_field(Value* index, unsigned field) {
  Value* offset = b.CreateAdd(b.CreateMul(b.CreateZExt(index, b.getInt64Ty()), i64(sizeof(Divergence))),
                              i64(offsetof(WarpContext, divergence) + field));
  return b.CreateInBoundsGEP(b.getInt8Ty(), context_, offset);
}

// Marks registers as undefined that both sides of the branch write before they read. Otherwise their live ranges would
// begin at the function's start, as waiting lanes keep what the first side wrote.
void FunctionEmitter::start_live_ranges(BlockId branch) {
  analysis::RegisterSet alive = prepared_.shapes.kept[branch];
  for (BlockId s : code_.blocks[branch].successors)
    if (s != ir::kExit) alive.merge(prepared_.live.live_in[s]);
  const BlockId reconvergence = prepared_.flow.reconvergence[branch];
  if (reconvergence == ir::kExit) return;
  for (ir::RegisterId r : prepared_.live.live_in[reconvergence].list()) {
    const Storage& s = registers_[r];
    if (alive.has(r) || s.shape.kind != analysis::Shape::Kind::Varying) continue;
    b.CreateStore(llvm::UndefValue::get(register_type(r, 32)), s.slot[0]);
  }
}

void FunctionEmitter::push_divergence(BlockId reconvergence, BlockId second, Value* second_mask, Value* full_mask) {
  Value* depth = b.CreateLoad(b.getInt32Ty(), depth_slot_);
  b.CreateStore(i32(reconvergence), divergence_field(depth, kReconvergence));
  b.CreateStore(i32(second), divergence_field(depth, kSecond));
  b.CreateStore(second_mask, divergence_field(depth, kSecondMask));
  b.CreateStore(full_mask, divergence_field(depth, kFullMask));
  b.CreateStore(b.CreateAdd(depth, i32(1)), depth_slot_);
}

void FunctionEmitter::add_counter(Value* address, uint64_t offset, Value* amount) {
  Value* at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, offset);
  b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), amount), at);
}

llvm::Value* FunctionEmitter::counter(size_t context_offset, uint64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context_field(context_offset, b.getPtrTy()), offset);
}

void FunctionEmitter::count_block(BlockId block) {
  if (!options_.counters) return;
  Value* at = counter(offsetof(WarpContext, blocks), uint64_t{block} * sizeof(BlockCounts));
  Value* lanes = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b.CreateLoad(b.getInt32Ty(), mask_slot_));
  add_counter(at, offsetof(BlockCounts, warps), i64(1));
  add_counter(at, offsetof(BlockCounts, lanes), b.CreateZExt(lanes, b.getInt64Ty()));
}

void FunctionEmitter::advance_clock(uint32_t first, uint32_t end) {
  if (!options_.clocked) return;
  uint64_t cycles = 0;
  for (uint32_t i = first; i < end && (i == first || !reads_clock(code_.instructions[i])); ++i)
    cycles += code_.instructions[i].origin != ir::Origin::Added;
  if (cycles != 0) add_counter(context_field(offsetof(WarpContext, clock), b.getPtrTy()), 0, i64(cycles));
}

bool FunctionEmitter::ends_thread(const ir::Instruction& in) const { return code_.is_kernel || in.op == Opcode::Exit; }

void FunctionEmitter::jump(BlockId block, bool thread_ends) {
  if (block == ir::kExit) return emit_exit(b.CreateLoad(b.getInt32Ty(), mask_slot_), thread_ends);
  if (warp_form()) {
    b.CreateBr(entry_of(block));
    return;
  }
  call_runtime(runtime::group_go, {context_, i32(block), b.CreateLoad(b.getInt32Ty(), mask_slot_)});
  b.CreateBr(return_block_);
}

bool FunctionEmitter::emit_control(const ir::Instruction& in, uint32_t index, BlockId block) {
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
        emit_exit(b.CreateLoad(b.getInt32Ty(), mask_slot_), ends_thread(in));
        return true;
      }
      emit_branch(in, block);
      return true;
    default:
      return false;
  }
}

void FunctionEmitter::emit_branch(const ir::Instruction& in, BlockId block) {
  const auto& successors = code_.blocks[block].successors;
  if (!in.guard || successors.size() < 2) return jump(successors.empty() ? ir::kExit : successors[0], ends_thread(in));
  const BlockId taken = successors[0], next = successors[1];
  const uint32_t slot = prepared_.numbers.branch[&in - code_.instructions.data()];
  const ir::Operand predicate{ir::Operand::Kind::Register, in.guard.negate, {}, in.guard.reg, 0, 0, {}};
  Value* mask = b.CreateLoad(b.getInt32Ty(), mask_slot_);
  auto count = [&](size_t field, Value* amount) {
    if (options_.counters && slot != ir::kNone)
      add_counter(counter(offsetof(WarpContext, branches), slot * sizeof(BranchCounts)), field, amount);
  };
  auto go = [&](BlockId to, Value* lanes) {
    b.CreateStore(lanes, mask_slot_);
    jump(to, ends_thread(in));
  };
  auto* taken_block = BasicBlock::Create(b.getContext(), "taken", function_);
  auto* next_block = BasicBlock::Create(b.getContext(), "next", function_);
  if (is_uniform(predicate)) {
    Value* condition = value_of(predicate, ir::Type::Pred, 1);
    count(offsetof(BranchCounts, taken), b.CreateZExt(condition, b.getInt64Ty()));
    b.CreateCondBr(condition, taken_block, next_block);
    b.SetInsertPoint(taken_block);
    go(taken, mask);
    b.SetInsertPoint(next_block);
    go(next, mask);
    return;
  }
  if (warp_form()) start_live_ranges(block);
  Value* taken_mask = b.CreateAnd(mask, lanes_to_mask(value_of(predicate, ir::Type::Pred, 32)));
  Value* next_mask = b.CreateAnd(mask, b.CreateNot(taken_mask));
  Value* any_taken = b.CreateICmpNE(taken_mask, i32(0));
  count(offsetof(BranchCounts, taken), b.CreateZExt(any_taken, b.getInt64Ty()));
  auto* some_taken = BasicBlock::Create(b.getContext(), "some.taken", function_);
  auto* both = BasicBlock::Create(b.getContext(), "both", function_);
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

void FunctionEmitter::diverge(BlockId taken, BlockId next, Value* taken_mask, Value* next_mask, BlockId block) {
  const bool thread_ends = ends_thread(code_.instructions[code_.blocks[block].end - 1]);
  if (!warp_form()) {
    for (auto [to, lanes] : {std::pair{next, next_mask}, std::pair{taken, taken_mask}}) {
      if (to == ir::kExit) {
        call_runtime(thread_ends ? runtime::group_exit : runtime::group_return, {context_, lanes});
      } else {
        call_runtime(runtime::group_go, {context_, i32(to), lanes});
      }
    }
    b.CreateBr(return_block_);
    return;
  }
  const BlockId reconvergence = prepared_.flow.reconvergence[block];
  Value* mask = b.CreateLoad(b.getInt32Ty(), mask_slot_);
  // A guarded exit: the lanes that take it end without waiting.
  for (bool first : {true, false}) {
    if ((first ? taken : next) != ir::kExit) continue;
    Value* leaving = first ? taken_mask : next_mask;
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), ended_slot_), leaving), ended_slot_);
    if (thread_ends) {
      Value* exited = context_address(offsetof(WarpContext, exited));
      b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), exited), leaving), exited);
    }
    b.CreateStore(first ? next_mask : taken_mask, mask_slot_);
    b.CreateBr(entry_of(first ? next : taken));
    return;
  }
  if (taken == reconvergence || next == reconvergence) {
    const BlockId side = taken == reconvergence ? next : taken;
    Value* side_mask = taken == reconvergence ? next_mask : taken_mask;
    // In a loop, the first iteration that diverges pushes an entry without waiting lanes. Later ones reuse it.
    Value* depth = b.CreateLoad(b.getInt32Ty(), depth_slot_);
    auto* look = BasicBlock::Create(b.getContext(), "look", function_);
    auto* push = BasicBlock::Create(b.getContext(), "push", function_);
    auto* run = BasicBlock::Create(b.getContext(), "run", function_);
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
    b.CreateStore(side_mask, mask_slot_);
    b.CreateBr(entry_of(side));
    return;
  }
  push_divergence(reconvergence, taken, taken_mask, mask);
  b.CreateStore(next_mask, mask_slot_);
  b.CreateBr(entry_of(next));
}

// brx.idx: the lanes with the first active lane's index branch; the others return to this block and repeat.
void FunctionEmitter::emit_index_branch(const ir::Instruction& in, uint32_t index, BlockId block) {
  auto* again = BasicBlock::Create(b.getContext(), "index.branch", function_);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  blocks_[block] = again;  // waiting lanes return to behind the counters
  const bool uniform = is_uniform(in.src[0]);
  Value* mask = b.CreateLoad(b.getInt32Ty(), mask_slot_);
  Value* lanes = uniform ? nullptr : value_of(in.src[0], ir::Type::B32, 32);
  Value* chosen = uniform ? value_of(in.src[0], ir::Type::B32, 1)
                          : b.CreateExtractElement(
                                lanes, b.CreateIntrinsic(llvm::Intrinsic::cttz, {b.getInt32Ty()}, {mask, b.getTrue()}));
  Value* go_mask = uniform ? mask : b.CreateAnd(mask, lanes_to_mask(b.CreateICmpEQ(lanes, widen(chosen))));
  Value* rest = b.CreateAnd(mask, b.CreateNot(go_mask));
  when(b.CreateICmpNE(rest, i32(0)), false, [&] {
    if (options_.counters)
      add_counter(counter(offsetof(WarpContext, branches), prepared_.numbers.branch[index] * sizeof(BranchCounts)),
                  offsetof(BranchCounts, divergent), i64(1));
    if (warp_form()) {
      push_divergence(prepared_.flow.reconvergence[block], block, rest, mask);
    } else {
      call_runtime(runtime::group_go, {context_, i32(block), rest});
    }
  });
  b.CreateStore(go_mask, mask_slot_);
  auto* bad = BasicBlock::Create(b.getContext(), "bad.index", function_);
  llvm::SwitchInst* choose = b.CreateSwitch(chosen, bad, in.targets.size());
  for (uint32_t i = 0; i < in.targets.size(); ++i) {
    auto* target = BasicBlock::Create(b.getContext(), "case", function_);
    choose->addCase(b.getInt32(i), target);
    b.SetInsertPoint(target);
    jump(in.targets[i], code_.is_kernel);
  }
  b.SetInsertPoint(bad);
  call_runtime(runtime::trap, {context_, i32(index), i32(uint32_t(TrapReason::BadBranchIndex)), go_mask});
  b.CreateUnreachable();
}

void FunctionEmitter::emit_exit(Value* leaving, bool thread_ends) {
  if (!warp_form()) {
    call_runtime(thread_ends ? runtime::group_exit : runtime::group_return, {context_, leaving});
    b.CreateBr(return_block_);
    return;
  }
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), ended_slot_), leaving), ended_slot_);
  if (thread_ends) {
    Value* exited = context_address(offsetof(WarpContext, exited));
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), exited), leaving), exited);
  }
  b.CreateBr(exit_dispatch_);
}

static void add_case(llvm::SwitchInst* choose, llvm::IRBuilder<>& b, BlockId id, BasicBlock* block) {
  if (choose->findCaseValue(b.getInt32(id)) == choose->case_default()) choose->addCase(b.getInt32(id), block);
}

void FunctionEmitter::emit_reconvergence_points() {
  for (BlockId reconvergence : prepared_.flow.order) {
    if (!dispatch_blocks_[reconvergence]) continue;
    auto* check = BasicBlock::Create(b.getContext(), "reconverge.check", function_);
    auto* top = BasicBlock::Create(b.getContext(), "reconverge.top", function_);
    auto* second = BasicBlock::Create(b.getContext(), "reconverge.second", function_);
    auto* together = BasicBlock::Create(b.getContext(), "reconverge.together", function_);
    b.SetInsertPoint(dispatch_blocks_[reconvergence]);
    Value* depth = b.CreateLoad(b.getInt32Ty(), depth_slot_);
    b.CreateCondBr(b.CreateICmpUGT(depth, base_depth_), check, blocks_[reconvergence]);
    b.SetInsertPoint(check);
    Value* index = b.CreateSub(depth, i32(1));
    b.CreateCondBr(
        b.CreateICmpEQ(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kReconvergence)), i32(reconvergence)), top,
        blocks_[reconvergence]);
    b.SetInsertPoint(top);
    Value* waiting = b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecondMask));
    b.CreateCondBr(b.CreateICmpNE(waiting, i32(0)), second, together);

    b.SetInsertPoint(second);
    b.CreateStore(i32(0), divergence_field(index, kSecondMask));
    b.CreateStore(waiting, mask_slot_);
    auto* none = BasicBlock::Create(b.getContext(), "reconverge.none", function_);
    llvm::SwitchInst* choose = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecond)), none);
    for (BlockId block : prepared_.flow.order) {
      if (!prepared_.shapes.divergent[block] || prepared_.flow.reconvergence[block] != reconvergence) continue;
      if (prepared_.shapes.second[block] != ir::kExit)
        add_case(choose, b, prepared_.shapes.second[block], entry_of(prepared_.shapes.second[block]));
      if (code_.instructions[code_.blocks[block].end - 1].op == Opcode::BrxIdx)
        add_case(choose, b, block, blocks_[block]);
    }
    b.SetInsertPoint(none);
    b.CreateUnreachable();

    b.SetInsertPoint(together);
    Value* full = b.CreateLoad(b.getInt32Ty(), divergence_field(index, kFullMask));
    b.CreateStore(b.CreateAnd(full, b.CreateNot(b.CreateLoad(b.getInt32Ty(), ended_slot_))), mask_slot_);
    b.CreateStore(index, depth_slot_);
    b.CreateBr(dispatch_blocks_[reconvergence]);
  }
}

// Divergent branches inside which lanes can end. If all paths lead through a reconvergence point, lanes can end before
// it only in a function that is really called.
std::vector<BlockId> FunctionEmitter::branches_with_exits() const {
  std::vector<BlockId> calls;
  for (BlockId block : prepared_.flow.order)
    for (uint32_t i = code_.blocks[block].first; i < code_.blocks[block].end; ++i)
      if (analysis::really_calls(module_, code_.instructions[i])) calls.push_back(block);
  std::vector<BlockId> branches;
  for (BlockId block : prepared_.flow.order) {
    if (!prepared_.shapes.divergent[block]) continue;
    bool ends = prepared_.flow.reconvergence[block] == ir::kExit;
    if (!ends && !calls.empty()) {
      const std::vector<bool> inside = analysis::divergent_region(code_, prepared_.flow, block);
      ends = std::ranges::any_of(calls, [&](BlockId call) { return inside[call]; });
    }
    if (ends) branches.push_back(block);
  }
  return branches;
}

// After lanes have ended, the lanes that wait at the top entry run. If none wait, the remaining lanes continue at its
// reconvergence point. Only branches inside which lanes can end are cases here: with all of them the whole function
// would be one loop with every register live in it.
void FunctionEmitter::emit_exit_dispatch() {
  b.SetInsertPoint(exit_dispatch_);
  const std::vector<BlockId> branches = branches_with_exits();
  if (branches.empty()) {
    b.CreateBr(return_block_);
    return;
  }
  auto* look = BasicBlock::Create(b.getContext(), "exit.look", function_);
  auto* second = BasicBlock::Create(b.getContext(), "exit.second", function_);
  auto* together = BasicBlock::Create(b.getContext(), "exit.together", function_);
  auto* resume = BasicBlock::Create(b.getContext(), "exit.resume", function_);
  auto* none = BasicBlock::Create(b.getContext(), "exit.none", function_);
  Value* depth = b.CreateLoad(b.getInt32Ty(), depth_slot_);
  b.CreateCondBr(b.CreateICmpUGT(depth, base_depth_), look, return_block_);
  b.SetInsertPoint(look);
  Value* index = b.CreateSub(depth, i32(1));
  Value* waiting = b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecondMask));
  b.CreateCondBr(b.CreateICmpNE(waiting, i32(0)), second, together);
  b.SetInsertPoint(second);
  b.CreateStore(i32(0), divergence_field(index, kSecondMask));
  b.CreateStore(waiting, mask_slot_);
  llvm::SwitchInst* choose = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecond)), none);
  b.SetInsertPoint(together);
  Value* left = b.CreateAnd(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kFullMask)),
                            b.CreateNot(b.CreateLoad(b.getInt32Ty(), ended_slot_)));
  b.CreateStore(index, depth_slot_);
  b.CreateCondBr(b.CreateICmpNE(left, i32(0)), resume, exit_dispatch_);
  b.SetInsertPoint(resume);
  b.CreateStore(left, mask_slot_);
  llvm::SwitchInst* go_on = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kReconvergence)), none);
  for (BlockId block : branches) {
    if (prepared_.shapes.second[block] != ir::kExit)
      add_case(choose, b, prepared_.shapes.second[block], entry_of(prepared_.shapes.second[block]));
    if (code_.instructions[code_.blocks[block].end - 1].op == Opcode::BrxIdx)
      add_case(choose, b, block, blocks_[block]);
    const BlockId reconvergence = prepared_.flow.reconvergence[block];
    if (reconvergence != ir::kExit) add_case(go_on, b, reconvergence, entry_of(reconvergence));
  }
  b.SetInsertPoint(none);
  b.CreateUnreachable();
}

void FunctionEmitter::emit_loop_check(BlockId block) {
  const analysis::Waiting waiting = prepared_.loops.header[block];
  const bool only_waits = waiting == analysis::Waiting::Only;
  Value* const slot = only_waits ? wait_slot_ : budget_slot_;
  Value* budget = b.CreateSub(b.CreateLoad(b.getInt32Ty(), slot), i32(1));
  b.CreateStore(budget, slot);
  when(b.CreateICmpEQ(budget, i32(0)), false, [&] {
    b.CreateStore(i32(only_waits ? kWaitBudget : kLoopBudget), slot);
    Value* hand_over = call_runtime(runtime::back_edge, {context_, i32(block), b.CreateLoad(b.getInt32Ty(), mask_slot_),
                                                         i32(static_cast<uint32_t>(waiting))});
    if (options_.reschedules && waiting != analysis::Waiting::Never)
      when(b.CreateICmpNE(hand_over, i32(0)), false, [&] { emit_hand_over(block); });
  });
}

void FunctionEmitter::reset_wait_budget() {
  b.CreateStore(i32(kWaitBudget), wait_slot_);
  b.CreateStore(i32(0), context_address(offsetof(WarpContext, loop_checks)));
}

void FunctionEmitter::save_registers(const analysis::RegisterSet& needed) {
  for (ir::RegisterId r : needed.list()) write_file(r, read_wide(r));
}

void FunctionEmitter::emit_hand_over(BlockId block) {
  // All registers that lanes can still read, in this block or in blocks where lanes wait.
  analysis::RegisterSet needed = prepared_.live.live_in[block];
  needed.merge(prepared_.shapes.kept[block]);
  save_registers(needed);
  call_runtime(runtime::hand_over,
               {context_, i32(block), b.CreateLoad(b.getInt32Ty(), mask_slot_),
                b.CreateLoad(b.getInt32Ty(), depth_slot_), b.CreateLoad(b.getInt32Ty(), ended_slot_)});
  b.CreateUnreachable();
}

}  // namespace drywarp::jit
