#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// FreedLatches removes it before the backend would print it.
constexpr const char* kMark = "// latch";

// Lanes pass it together, so that clang duplicates it for no way that leads there. It touches no memory of the program.
void mark(llvm::BasicBlock& block) {
  llvm::IRBuilder<> at(block.getTerminator());
  auto* const nothing = llvm::InlineAsm::get(llvm::FunctionType::get(at.getVoidTy(), false), kMark, "", true);
  llvm::CallInst* const call = at.CreateCall(nothing);
  call->setConvergent();
  call->setDoesNotThrow();
  call->setOnlyAccessesInaccessibleMemory();
  call->addFnAttr(llvm::Attribute::WillReturn);
}

bool is_mark(const llvm::CallInst& call) {
  const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return text && text->getAsmString() == kMark;
}

}  // namespace

llvm::PreservedAnalyses SingleLatches::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    llvm::SmallVector<llvm::BasicBlock*, 4> latches;
    loop->getLoopLatches(latches);
    const auto by_branch = [](llvm::BasicBlock* latch) { return llvm::isa<llvm::BranchInst>(latch->getTerminator()); };
    if (latches.size() < 2 || !llvm::all_of(latches, by_branch)) continue;
    llvm::BasicBlock* const latch =
        llvm::SplitBlockPredecessors(loop->getHeader(), latches, ".latch", &dominators, &loops);
    if (!latch) continue;
    mark(*latch);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses FreedLatches::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  return erase_calls(function, [](llvm::CallInst& call) { return is_mark(call); });
}

}  // namespace drywarp::device_passes
