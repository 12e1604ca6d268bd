// Measured: which conditions of up to 40 operations nvcc 13 joins, in 11 kinds of operation, branches and loops.
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include <optional>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

constexpr unsigned kMostJoined = 4;

// What nvcc counts an operation as; nothing: it does not compute it before it must.
std::optional<unsigned> cost(const llvm::Instruction& one) {
  constexpr unsigned kConversion = 2, kSelect = 2, kDivision = 3;
  using llvm::isa;
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&one)) {
    if (llvm::Intrinsic::getBaseName(call->getIntrinsicID()).starts_with("llvm.nvvm.read.ptx.sreg")) return 0;
    return std::nullopt;
  }
  if (one.mayReadOrWriteMemory() || !llvm::isSafeToSpeculativelyExecute(&one)) return std::nullopt;
  if (isa<llvm::TruncInst, llvm::BitCastInst, llvm::FreezeInst>(one)) return 0;
  if (isa<llvm::CmpInst, llvm::UnaryOperator>(one)) return 1;
  if (isa<llvm::CastInst>(one)) return kConversion;
  if (isa<llvm::SelectInst>(one)) return kSelect;
  if (!isa<llvm::BinaryOperator>(one)) return std::nullopt;
  return one.getOpcode() == llvm::Instruction::FDiv ? kDivision : 1;
}

// The branch at the block's end, if it has a condition.
llvm::BranchInst* branch_of(llvm::BasicBlock& block) {
  auto* const branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1) ? branch : nullptr;
}

// Whether the block only decides, like the one before it, whether to go on or to leave both.
bool is_second_condition(llvm::BasicBlock& block) {
  llvm::BasicBlock* const before = block.getSinglePredecessor();
  llvm::BranchInst* const first = before ? branch_of(*before) : nullptr;
  llvm::BranchInst* const second = branch_of(block);
  if (!first || !second || before == &block) return false;
  llvm::BasicBlock* const out = first->getSuccessor(first->getSuccessor(0) == &block ? 1 : 0);
  return (second->getSuccessor(0) == out || second->getSuccessor(1) == out) &&
         llvm::all_of(out->phis(), [&](const llvm::PHINode& value) {
           return value.getIncomingValueForBlock(before) == value.getIncomingValueForBlock(&block);
         });
}

// By block: where its instructions have gone. Of `a && b && c` all are computed in the first one's block.
using Joined = llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*>;

bool join(llvm::BasicBlock& block, Joined& joined) {
  if (!is_second_condition(block)) return false;
  const llvm::Value* const condition = branch_of(block)->getCondition();
  unsigned sum = 0;
  llvm::SmallVector<llvm::Instruction*, 8> computed;
  for (llvm::Instruction& one : block.instructionsWithoutDebug()) {
    if (one.isTerminator()) continue;
    const std::optional<unsigned> mine = llvm::isa<llvm::PHINode>(one) ? std::nullopt : cost(one);
    if (!mine) return false;
    sum += &one == condition ? 0 : *mine;
    computed.push_back(&one);
  }
  if (sum > kMostJoined) return false;
  llvm::BasicBlock* first = block.getSinglePredecessor();
  if (const auto known = joined.find(first); known != joined.end()) first = known->second;
  joined[&block] = first;
  for (llvm::Instruction* one : computed) one->moveBefore(first->getTerminator());
  return !computed.empty();
}

}  // namespace

llvm::PreservedAnalyses JoinedConditions::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  Joined joined;
  bool changed = false;
  for (llvm::BasicBlock* block : llvm::ReversePostOrderTraversal(&function)) changed |= join(*block, joined);
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace drywarp::device_passes
