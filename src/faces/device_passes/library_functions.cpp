#include <llvm/IR/Module.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {

llvm::PreservedAnalyses LibraryFunctions::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool any = false;
  for (llvm::Function& function : module) {
    // One that returns a pointer allocates memory.
    if (!function.isDeclaration() || !function.getName().starts_with("__nv_") ||
        function.getReturnType()->isPointerTy())
      continue;
    const bool has_pointer = llvm::any_of(function.args(), [](const auto& a) { return a.getType()->isPointerTy(); });
    function.setMemoryEffects(has_pointer ? llvm::MemoryEffects::argMemOnly() : llvm::MemoryEffects::none());
    function.setNotConvergent();
    function.setDoesNotThrow();
    function.setWillReturn();
    for (llvm::User* user : function.users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user); call && call->getCalledFunction() == &function)
        call->setNotConvergent();
    any = true;
  }
  return any ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
