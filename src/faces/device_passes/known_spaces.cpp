// Asks which memory an address is in are answered where the variable is known that it is computed from. LLVM 19 leaves
// them, and the code for other memories beside them, which the back end may not even be able to compile.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

enum Space : unsigned { kGeneric = 0, kGlobal = 1, kShared = 3, kConstant = 4, kLocal = 5 };

std::optional<unsigned> asked(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::nvvm_isspacep_shared:
      return kShared;
    case llvm::Intrinsic::nvvm_isspacep_global:
      return kGlobal;
    case llvm::Intrinsic::nvvm_isspacep_const:
      return kConstant;
    case llvm::Intrinsic::nvvm_isspacep_local:
      return kLocal;
    default:
      return std::nullopt;
  }
}

bool is_kernel(const llvm::Function& function) {
  if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) return true;
  const llvm::NamedMDNode* annotations = function.getParent()->getNamedMetadata("nvvm.annotations");
  return annotations && std::ranges::any_of(annotations->operands(), [&](const llvm::MDNode* node) {
           if (node->getNumOperands() < 2) return false;
           const auto* kind = llvm::dyn_cast<llvm::MDString>(node->getOperand(1));
           return kind && kind->getString() == "kernel" &&
                  llvm::mdconst::dyn_extract_or_null<llvm::Function>(node->getOperand(0)) == &function;
         });
}

// The memory of the variable; nothing: it may be any. The back end takes a kernel's pointers for those of global
// memory.
std::optional<unsigned> known(const llvm::Value* address) {
  const llvm::Value* of = llvm::getUnderlyingObject(address, 0);
  if (const unsigned space = of->getType()->getPointerAddressSpace(); space != kGeneric) return space;
  if (llvm::isa<llvm::AllocaInst>(of)) return kLocal;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(of);
  if (argument && !argument->hasByValAttr() && is_kernel(*argument->getParent())) return kGlobal;
  return std::nullopt;
}

}  // namespace

llvm::PreservedAnalyses KnownSpaces::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  std::vector<std::pair<llvm::IntrinsicInst*, bool>> answers;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    const std::optional<unsigned> space = call ? asked(*call) : std::nullopt;
    if (!space) continue;
    if (const std::optional<unsigned> is = known(call->getArgOperand(0))) answers.emplace_back(call, *is == *space);
  }
  for (const auto& [call, answer] : answers) {
    call->replaceAllUsesWith(llvm::ConstantInt::getBool(call->getType(), answer));
    call->eraseFromParent();
  }
  return answers.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
