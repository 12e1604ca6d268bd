#include "faces/device_passes/passes.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace drywarp::device_passes {
namespace {

bool is_local(const llvm::Value* pointer) { return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)); }

bool widen(llvm::MemCpyInst* copy) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
  if (!length || length->getZExtValue() != kWidestAccess || copy->isVolatile()) return false;
  if (widest_access(*copy) < kWidestAccess) return false;
  if (is_local(copy->getSource()) || is_local(copy->getDest())) return false;
  llvm::IRBuilder<> b(copy);
  llvm::Type* four_words = llvm::FixedVectorType::get(b.getInt32Ty(), 4);
  llvm::Value* value = b.CreateAlignedLoad(four_words, copy->getSource(), llvm::Align(kWidestAccess));
  b.CreateAlignedStore(value, copy->getDest(), llvm::Align(kWidestAccess));
  copy->eraseFromParent();
  return true;
}

// The backend copies byte by byte beyond this length.
constexpr uint64_t kLongestUnrolled = 128;

// Copies in a loop of accesses as wide as both sides are aligned.
bool loop_over(llvm::MemCpyInst* copy) {
  auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy->getLength());
  if (!length || length->getZExtValue() <= kLongestUnrolled || copy->isVolatile()) return false;
  const uint64_t bytes = widest_access(*copy);
  if (bytes == 1 || length->getZExtValue() % bytes != 0) return false;
  llvm::IRBuilder<> b(copy);
  llvm::Type* piece = bytes <= 4
                          ? b.getIntNTy(unsigned(8 * bytes))
                          : llvm::cast<llvm::Type>(llvm::FixedVectorType::get(b.getInt32Ty(), unsigned(bytes / 4)));
  llvm::Value *from = copy->getSource(), *to = copy->getDest();
  const auto [body, index] = llvm::SplitBlockAndInsertSimpleForLoop(b.getInt64(length->getZExtValue() / bytes), copy);
  llvm::IRBuilder<> in_loop(body);
  llvm::Value* value =
      in_loop.CreateAlignedLoad(piece, in_loop.CreateInBoundsGEP(piece, from, index), llvm::Align(bytes));
  in_loop.CreateAlignedStore(value, in_loop.CreateInBoundsGEP(piece, to, index), llvm::Align(bytes));
  copy->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses WidenCopies::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (auto* copy : all_of<llvm::MemCpyInst>(function)) changed |= widen(copy) || loop_over(copy);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
