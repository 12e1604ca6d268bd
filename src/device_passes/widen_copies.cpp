#include "device_passes/widen_copies.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

namespace drywarp::device_passes {
namespace {

constexpr uint64_t kWidestAccess = 16;

bool is_local(const llvm::Value* pointer) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)); }

bool widen(llvm::MemCpyInst* copy) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
  if (!length || length->getZExtValue() != kWidestAccess || copy->isVolatile()) return false;
  if (copy->getSourceAlign().valueOrOne() < kWidestAccess || copy->getDestAlign().valueOrOne() < kWidestAccess)
    return false;
  if (is_local(copy->getSource()) || is_local(copy->getDest())) return false;
  llvm::IRBuilder<> b(copy);
  llvm::Type* four_words = llvm::FixedVectorType::get(b.getInt32Ty(), 4);
  llvm::Value* value = b.CreateAlignedLoad(four_words, copy->getSource(), llvm::Align(kWidestAccess));
  b.CreateAlignedStore(value, copy->getDest(), llvm::Align(kWidestAccess));
  copy->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses WidenCopies::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  llvm::SmallVector<llvm::MemCpyInst*, 8> copies;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& instruction : block)
      if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) copies.push_back(copy);
  bool changed = false;
  for (llvm::MemCpyInst* copy : copies) changed |= widen(copy);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
