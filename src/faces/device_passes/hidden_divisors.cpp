#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// RevealedDivisors removes it before the backend would print it.
constexpr const char* kHidden = "// divisor $0 $1";

// Whether the value is a loop's variable, shifted or times a constant.
bool steps(const llvm::Value* value) {
  for (;;) {
    if (llvm::isa<llvm::PHINode>(value)) return true;
    const auto* made = llvm::dyn_cast<llvm::Instruction>(value);
    if (!made) return false;
    const bool changed = made->getOpcode() == llvm::Instruction::Shl || made->getOpcode() == llvm::Instruction::LShr ||
                         made->getOpcode() == llvm::Instruction::Mul || llvm::isa<llvm::CastInst>(made);
    if (!changed) return false;
    const bool first = made->getNumOperands() > 1 && llvm::isa<llvm::Constant>(made->getOperand(0));
    value = made->getOperand(first ? 1 : 0);
  }
}

bool is_hidden(const llvm::CallInst& call) {
  const auto* text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return text && text->getAsmString() == kHidden;
}

}  // namespace

llvm::PreservedAnalyses HiddenDivisors::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module) {
    for (auto* one : all_of<llvm::BinaryOperator>(function)) {
      llvm::Value* const divisor = one->getOperand(1);
      if (!one->isIntDivRem() || !one->getType()->isIntegerTy() || !steps(divisor)) continue;
      llvm::IRBuilder<> at(one);
      llvm::Type* const type = divisor->getType();
      auto* const hide = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), kHidden,
                                              type->getIntegerBitWidth() > 32 ? "=l,0" : "=r,0", false);
      one->setOperand(1, at.CreateCall(hide, {divisor}));
      changed = true;
    }
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses RevealedDivisors::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  return erase_calls(function, [this](llvm::CallInst& call) {
    if (!is_hidden(call) || (!all_ && !llvm::isa<llvm::Constant>(call.getArgOperand(0)))) return false;
    call.replaceAllUsesWith(call.getArgOperand(0));
    return true;
  });
}

}  // namespace drywarp::device_passes
