#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// The text of an annotation; empty: it is none.
llvm::StringRef text_of(const llvm::Value* value) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value->stripPointerCasts());
  const auto* text = global && global->hasInitializer()
                         ? llvm::dyn_cast<llvm::ConstantDataSequential>(global->getInitializer())
                         : nullptr;
  return text && text->isCString() ? text->getAsCString() : llvm::StringRef();
}

}  // namespace

llvm::PreservedAnalyses ClusterDimensions::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::GlobalVariable* all = module.getNamedGlobal("llvm.global.annotations");
  const auto* list = all ? llvm::dyn_cast<llvm::ConstantArray>(all->getInitializer()) : nullptr;
  if (!list) return llvm::PreservedAnalyses::all();
  std::string marks;
  for (const llvm::Use& entry : list->operands()) {
    // The function, the annotation's text, file and line, and a structure of its arguments.
    const auto* annotation = llvm::dyn_cast<llvm::ConstantStruct>(entry);
    if (!annotation || annotation->getNumOperands() < 5 || text_of(annotation->getOperand(1)) != kClusterAnnotation)
      continue;
    const auto* kernel = llvm::dyn_cast<llvm::Function>(annotation->getOperand(0)->stripPointerCasts());
    const auto* given = llvm::dyn_cast<llvm::GlobalVariable>(annotation->getOperand(4)->stripPointerCasts());
    if (!kernel || !given || !given->hasInitializer()) continue;
    marks += (kClusterMark + " " + kernel->getName()).str();
    for (unsigned d = 0; d < 3; ++d) {
      const auto* size = llvm::dyn_cast_or_null<llvm::ConstantInt>(given->getInitializer()->getAggregateElement(d));
      marks += ' ' + std::to_string(size ? size->getZExtValue() : 1);
    }
    marks += '\n';
  }
  if (marks.empty()) return llvm::PreservedAnalyses::all();
  module.appendModuleInlineAsm(marks);
  return llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
