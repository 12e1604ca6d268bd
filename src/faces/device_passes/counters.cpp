#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {

llvm::PreservedAnalyses CountersDown::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  using namespace llvm;
  using namespace llvm::PatternMatch;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    BasicBlock *const latch = loop->getLoopLatch(), *const before = loop->getLoopPredecessor();
    auto* const branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    if (!before || !branch || !branch->isConditional()) continue;
    auto* const compare = dyn_cast<ICmpInst>(branch->getCondition());
    if (!compare || !compare->isEquality() || !compare->hasOneUse()) continue;
    auto* const next = dyn_cast<BinaryOperator>(compare->getOperand(0));
    Value* const limit = compare->getOperand(1);
    auto* const counter = next ? dyn_cast<PHINode>(next->getOperand(0)) : nullptr;
    const APInt* step = nullptr;
    // Nothing else reads the counter: unrolling has made it.
    if (!counter || !next->hasNUses(2) || isa<Constant>(limit) || !loop->isLoopInvariant(limit) ||
        !match(next, m_Add(m_Specific(counter), m_APInt(step))) || counter->getParent() != loop->getHeader() ||
        !counter->hasOneUse() || counter->getIncomingValueForBlock(latch) != next ||
        !match(counter->getIncomingValueForBlock(before), m_Zero()))
      continue;
    counter->setIncomingValueForBlock(before, limit);
    next->setOperand(1, ConstantInt::get(next->getType(), -*step));
    next->dropPoisonGeneratingFlags();
    // The backend's loop-strength reduction would compare the program's counter to `limit` again. It does not see
    // through an annotation, which is dropped behind it.
    IRBuilder<> builder(compare);
    Constant* const none = ConstantPointerNull::get(builder.getPtrTy());
    compare->setOperand(0, builder.CreateIntrinsic(Intrinsic::annotation, {next->getType(), none->getType()},
                                                   {next, none, none, builder.getInt32(0)}));
    compare->setOperand(1, ConstantInt::get(next->getType(), 0));
  }
  return PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
