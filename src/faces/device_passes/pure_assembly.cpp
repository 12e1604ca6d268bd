#include <llvm/IR/InlineAsm.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// Parts of the names of instructions that lanes execute together.
constexpr llvm::StringRef kCollective[] = {"sync", "bar", "shfl", "vote", "match", "activemask", "redux", "elect"};

}  // namespace

llvm::PreservedAnalyses PureAssembly::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  for (auto* call : all_of<llvm::CallInst>(function)) {
    const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
    if (!text || text->hasSideEffects() || !call->isConvergent()) continue;
    const auto says = [&](llvm::StringRef name) { return llvm::StringRef(text->getAsmString()).contains(name); };
    if (llvm::none_of(kCollective, says)) call->setNotConvergent();
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
