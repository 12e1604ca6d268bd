// In warp form, one side of a divergent branch runs first. The other waits in an entry of the divergence stack, with
// the reconvergence point of both. A reconvergence point begins with a dispatch that reads the top entry: if lanes
// wait, they run now; if none wait, all lanes that entered the branch continue together. A side that is the
// reconvergence point itself never waits, so a loop whose lanes leave one by one needs only one entry.
#include "engine/jit/control/control_flow.h"

namespace drywarp::jit {

using ir::BlockId;
using llvm::BasicBlock;

// Address of a field of entry `index` of the divergence stack.
llvm::Value* ControlFlow::divergence_field(Value* index, unsigned field) {
  Value* offset = b.CreateAdd(b.CreateMul(b.CreateZExt(index, b.getInt64Ty()), i64(sizeof(Divergence))),
                              i64(offsetof(WarpContext, divergence) + field));
  return b.CreateInBoundsGEP(b.getInt8Ty(), f.context, offset);
}

void ControlFlow::push_divergence(BlockId reconvergence, BlockId second, Value* second_mask, Value* full_mask) {
  Value* depth = b.CreateLoad(b.getInt32Ty(), f.depth_slot);
  b.CreateStore(i32(reconvergence), divergence_field(depth, kReconvergence));
  b.CreateStore(i32(second), divergence_field(depth, kSecond));
  b.CreateStore(second_mask, divergence_field(depth, kSecondMask));
  b.CreateStore(full_mask, divergence_field(depth, kFullMask));
  b.CreateStore(b.CreateAdd(depth, i32(1)), f.depth_slot);
}

void ControlFlow::emit_reconvergence() {
  emit_reconvergence_points();
  emit_exit_dispatch();
}

void ControlFlow::emit_reconvergence_points() {
  for (BlockId reconvergence : f.prepared.flow.order) {
    if (!dispatch_blocks_[reconvergence]) continue;
    auto* check = BasicBlock::Create(b.getContext(), "reconverge.check", f.function);
    auto* top = BasicBlock::Create(b.getContext(), "reconverge.top", f.function);
    auto* second = BasicBlock::Create(b.getContext(), "reconverge.second", f.function);
    auto* together = BasicBlock::Create(b.getContext(), "reconverge.together", f.function);
    b.SetInsertPoint(dispatch_blocks_[reconvergence]);
    Value* depth = b.CreateLoad(b.getInt32Ty(), f.depth_slot);
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
    b.CreateStore(waiting, f.mask_slot);
    auto* none = BasicBlock::Create(b.getContext(), "reconverge.none", f.function);
    llvm::SwitchInst* choose = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecond)), none);
    for (BlockId block : f.prepared.flow.order) {
      if (!f.prepared.shapes.divergent[block] || f.prepared.flow.reconvergence[block] != reconvergence) continue;
      if (f.prepared.shapes.second[block] != ir::kExit)
        add_case(choose, b, f.prepared.shapes.second[block], entry_of(f.prepared.shapes.second[block]));
      if (f.code.instructions[f.code.blocks[block].end - 1].op == Opcode::BrxIdx)
        add_case(choose, b, block, blocks_[block]);
    }
    b.SetInsertPoint(none);
    b.CreateUnreachable();

    b.SetInsertPoint(together);
    Value* full = b.CreateLoad(b.getInt32Ty(), divergence_field(index, kFullMask));
    b.CreateStore(b.CreateAnd(full, b.CreateNot(b.CreateLoad(b.getInt32Ty(), f.ended_slot))), f.mask_slot);
    b.CreateStore(index, f.depth_slot);
    b.CreateBr(dispatch_blocks_[reconvergence]);
  }
}

// Divergent branches inside which lanes can end. If all paths lead through a reconvergence point, lanes can end before
// it only in a function that is really called.
std::vector<BlockId> ControlFlow::branches_with_exits() const {
  std::vector<BlockId> calls;
  for (BlockId block : f.prepared.flow.order)
    for (uint32_t i = f.code.blocks[block].first; i < f.code.blocks[block].end; ++i)
      if (analysis::really_calls(f.module, f.code.instructions[i])) calls.push_back(block);
  std::vector<BlockId> branches;
  for (BlockId block : f.prepared.flow.order) {
    if (!f.prepared.shapes.divergent[block]) continue;
    bool ends = f.prepared.flow.reconvergence[block] == ir::kExit;
    if (!ends && !calls.empty()) {
      const std::vector<bool> inside = analysis::divergent_region(f.code, f.prepared.flow, block);
      ends = std::ranges::any_of(calls, [&](BlockId call) { return inside[call]; });
    }
    if (ends) branches.push_back(block);
  }
  return branches;
}

// After lanes have ended, the lanes that wait at the top entry run. If none wait, the remaining lanes continue at its
// reconvergence point. Only branches inside which lanes can end are cases here: with all of them the whole function
// would be one loop with every register live in it.
void ControlFlow::emit_exit_dispatch() {
  b.SetInsertPoint(exit_dispatch_);
  const std::vector<BlockId> branches = branches_with_exits();
  if (branches.empty()) {
    b.CreateBr(f.return_block);
    return;
  }
  auto* look = BasicBlock::Create(b.getContext(), "exit.look", f.function);
  auto* second = BasicBlock::Create(b.getContext(), "exit.second", f.function);
  auto* together = BasicBlock::Create(b.getContext(), "exit.together", f.function);
  auto* resume = BasicBlock::Create(b.getContext(), "exit.resume", f.function);
  auto* none = BasicBlock::Create(b.getContext(), "exit.none", f.function);
  Value* depth = b.CreateLoad(b.getInt32Ty(), f.depth_slot);
  b.CreateCondBr(b.CreateICmpUGT(depth, base_depth_), look, f.return_block);
  b.SetInsertPoint(look);
  Value* index = b.CreateSub(depth, i32(1));
  Value* waiting = b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecondMask));
  b.CreateCondBr(b.CreateICmpNE(waiting, i32(0)), second, together);
  b.SetInsertPoint(second);
  b.CreateStore(i32(0), divergence_field(index, kSecondMask));
  b.CreateStore(waiting, f.mask_slot);
  llvm::SwitchInst* choose = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kSecond)), none);
  b.SetInsertPoint(together);
  Value* left = b.CreateAnd(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kFullMask)),
                            b.CreateNot(b.CreateLoad(b.getInt32Ty(), f.ended_slot)));
  b.CreateStore(index, f.depth_slot);
  b.CreateCondBr(b.CreateICmpNE(left, i32(0)), resume, exit_dispatch_);
  b.SetInsertPoint(resume);
  b.CreateStore(left, f.mask_slot);
  llvm::SwitchInst* go_on = b.CreateSwitch(b.CreateLoad(b.getInt32Ty(), divergence_field(index, kReconvergence)), none);
  for (BlockId block : branches) {
    if (f.prepared.shapes.second[block] != ir::kExit)
      add_case(choose, b, f.prepared.shapes.second[block], entry_of(f.prepared.shapes.second[block]));
    if (f.code.instructions[f.code.blocks[block].end - 1].op == Opcode::BrxIdx)
      add_case(choose, b, block, blocks_[block]);
    const BlockId reconvergence = f.prepared.flow.reconvergence[block];
    if (reconvergence != ir::kExit) add_case(go_on, b, reconvergence, entry_of(reconvergence));
  }
  b.SetInsertPoint(none);
  b.CreateUnreachable();
}

}  // namespace drywarp::jit
