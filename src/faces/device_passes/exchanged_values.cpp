#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

bool is_exchange(const llvm::CallBase& call) {
  if (const auto* code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return llvm::StringRef(code->getAsmString()).contains("shfl");
  const llvm::Function* const callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.shfl");
}

// The functions that exchange values, and their callers.
llvm::SetVector<llvm::Function*> exchanging(llvm::Module& module) {
  llvm::SetVector<llvm::Function*> found;
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && is_exchange(*call))
        found.insert(&function);
  for (size_t i = 0; i < found.size(); ++i)
    for (llvm::User* user : found[i]->users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) found.insert(call->getFunction());
  return found;
}

}  // namespace

llvm::PreservedAnalyses ExchangedValues::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::SetVector<llvm::Function*> found = exchanging(module);
  for (llvm::Function* function : found) {
    for (unsigned i = 0; i < function->arg_size(); ++i) function->removeParamAttr(i, llvm::Attribute::NoUndef);
    for (llvm::User* user : function->users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledFunction() != function) continue;
      for (unsigned i = 0; i < call->arg_size(); ++i) call->removeParamAttr(i, llvm::Attribute::NoUndef);
    }
  }
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
