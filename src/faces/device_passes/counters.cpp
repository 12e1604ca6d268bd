#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

using namespace llvm;
using namespace llvm::PatternMatch;

// The backend's loop-strength reduction does not see through an annotation, which is dropped behind it.
void hide(Use& counter) {
  IRBuilder<> builder(cast<Instruction>(counter.getUser()));
  Constant* const none = ConstantPointerNull::get(builder.getPtrTy());
  counter.set(builder.CreateIntrinsic(Intrinsic::annotation, {counter->getType(), none->getType()},
                                      {counter, none, none, builder.getInt32(0)}));
}

// Whether a 32-bit value of the loop steps by a constant from where a register starts, as `k + i` does, and is more
// than a signed index: the backend makes pointers that step through memory of those.
bool steps_from_register(const Loop& loop, ScalarEvolution& scalars) {
  const auto computes = [&](const User* user) {
    const auto* place = dyn_cast<Instruction>(user);
    if (!place || !loop.contains(place) || isa<PHINode, ICmpInst, SExtInst>(place)) return false;
    return !isa<ZExtInst>(place) || !place->hasNonNeg();
  };
  for (BasicBlock* block : loop.blocks())
    for (Instruction& one : *block) {
      if (!one.getType()->isIntegerTy(32) || isa<PHINode>(one) || llvm::none_of(one.users(), computes)) continue;
      const auto* value = dyn_cast<SCEVAddRecExpr>(scalars.getSCEV(&one));
      if (value && value->getLoop() == &loop && isa<SCEVConstant>(value->getStepRecurrence(scalars)) &&
          !isa<SCEVConstant>(value->getStart()))
        return true;
    }
  return false;
}

// The comparison of a counter that ends the loop in this block.
ICmpInst* end_in(const Loop& loop, BasicBlock& block) {
  auto* const branch = dyn_cast<BranchInst>(block.getTerminator());
  auto* const compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  return compare && compare->isEquality() && compare->hasOneUse() && loop.contains(compare) ? compare : nullptr;
}

void count_down(const Loop& loop, ScalarEvolution& scalars) {
  BasicBlock *const latch = loop.getLoopLatch(), *const before = loop.getLoopPredecessor();
  ICmpInst* const compare = latch && before ? end_in(loop, *latch) : nullptr;
  if (!compare) return;
  auto* const next = dyn_cast<BinaryOperator>(compare->getOperand(0));
  Value* const limit = compare->getOperand(1);
  auto* const counter = next ? dyn_cast<PHINode>(next->getOperand(0)) : nullptr;
  const APInt* step = nullptr;
  // Nothing else reads the counter: unrolling has made it.
  if (!counter || !next->hasNUses(2) || isa<Constant>(limit) || !loop.isLoopInvariant(limit) ||
      !match(next, m_Add(m_Specific(counter), m_APInt(step))) || counter->getParent() != loop.getHeader() ||
      !counter->hasOneUse() || counter->getIncomingValueForBlock(latch) != next ||
      !match(counter->getIncomingValueForBlock(before), m_Zero()) || !steps_from_register(loop, scalars))
    return;
  counter->setIncomingValueForBlock(before, limit);
  next->setOperand(1, ConstantInt::get(next->getType(), -*step));
  next->dropPoisonGeneratingFlags();
  compare->setOperand(1, ConstantInt::get(next->getType(), 0));
  hide(compare->getOperandUse(0));
}

// Whether a loop reads or writes memory, and none of it shared: its addresses have 64 bits.
bool has_long_addresses(const Loop& loop) {
  constexpr unsigned kShared = 3;
  bool any = false;
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& one : *block)
      if (const Value* place = getLoadStorePointerOperand(&one)) {
        any = true;
        if (getUnderlyingObject(place)->getType()->getPointerAddressSpace() == kShared) return false;
      }
  return any;
}

void keep_short(const Loop& loop) {
  if (!loop.isInnermost() || !loop.getExitingBlock() || !has_long_addresses(loop)) return;
  ICmpInst* const compare = end_in(loop, *loop.getExitingBlock());
  if (compare && isa<ConstantInt>(compare->getOperand(1)) && compare->getOperand(0)->getType()->isIntegerTy(32))
    hide(compare->getOperandUse(0));
}

// Of a sum with the counter and values of the iteration, clang would compute all again for each use.
void keep_sums(const Loop& loop, ScalarEvolution& scalars) {
  const auto counts = [&](const Value* value) {
    const auto* recurrence = dyn_cast<SCEVAddRecExpr>(scalars.getSCEV(const_cast<Value*>(value)));
    return recurrence && recurrence->getLoop() == &loop;
  };
  SmallVector<Use*, 8> found;
  for (BasicBlock* block : loop.blocks())
    for (Instruction& one : *block) {
      if (one.getOpcode() != Instruction::Add || !one.getType()->isIntegerTy(32) || counts(&one)) continue;
      for (const unsigned k : {0u, 1u})
        if (counts(one.getOperand(k)) && !loop.isLoopInvariant(one.getOperand(1 - k)))
          found.push_back(&one.getOperandUse(k));
    }
  for (Use* counter : found) hide(*counter);
}

}  // namespace

PreservedAnalyses Counters::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& scalars = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (const Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (loop->isInnermost()) keep_sums(*loop, scalars);
    keep_short(*loop);
    count_down(*loop, scalars);
  }
  return PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
