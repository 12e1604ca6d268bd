#include "faces/device_passes/passes.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace drywarp::device_passes {
namespace {

constexpr llvm::StringLiteral kMarks[] = {"__static__", "__intern__"};

// The declaration that a renamed definition replaces; null if its name has no mark.
llvm::GlobalValue* declared_as(llvm::Module& module, const llvm::GlobalValue& definition) {
  for (const llvm::StringRef mark : kMarks) {
    const size_t at = definition.getName().rfind(mark);
    if (at == llvm::StringRef::npos) continue;
    llvm::GlobalValue* plain = module.getNamedValue(definition.getName().take_front(at));
    if (plain && plain->isDeclaration()) return plain;
  }
  return nullptr;
}

bool join_names(llvm::Module& module) {
  llvm::SmallVector<std::pair<llvm::GlobalValue*, llvm::GlobalValue*>, 8> same;
  for (llvm::GlobalValue& definition : module.global_values()) {
    if (definition.isDeclaration()) continue;
    if (llvm::GlobalValue* plain = declared_as(module, definition)) same.emplace_back(plain, &definition);
  }
  for (auto [plain, definition] : same) {
    if (plain->getType() != definition->getType()) continue;
    plain->replaceAllUsesWith(definition);
    plain->eraseFromParent();
  }
  return !same.empty();
}

bool drop_list(llvm::Module& module) {
  llvm::GlobalVariable* list = module.getNamedGlobal("__clang_gpu_used_external");
  if (!list) return false;
  llvm::removeFromUsedLists(module, [&](llvm::Constant* used) { return used->stripPointerCasts() == list; });
  list->removeDeadConstantUsers();
  if (list->use_empty()) list->eraseFromParent();
  // The list's initializer still counts as a use, and a function that is used is declared in the PTX.
  for (llvm::Function& function : module) function.removeDeadConstantUsers();
  return true;
}

}  // namespace

llvm::PreservedAnalyses UnitNames::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const bool joined = join_names(module);
  const bool dropped = drop_list(module);
  return joined || dropped ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
