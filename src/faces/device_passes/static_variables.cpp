#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {

llvm::PreservedAnalyses StaticVariables::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  constexpr unsigned kGlobal = 1, kConstant = 4;  // address spaces
  llvm::SmallVector<llvm::GlobalValue*, 8> kept;
  for (llvm::GlobalVariable& variable : module.globals()) {
    const unsigned space = variable.getAddressSpace();
    if (!variable.hasInternalLinkage() || variable.isConstant() || (space != kGlobal && space != kConstant)) continue;
    variable.setExternallyInitialized(true);
    kept.push_back(&variable);
  }
  if (kept.empty()) return llvm::PreservedAnalyses::all();
  llvm::appendToCompilerUsed(module, kept);
  return llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
