#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "faces/device_passes/copies.h"
#include "faces/device_passes/member_copies.h"

namespace drywarp::device_passes {
namespace {

// The extractions of one element, if the vector has no other uses; else empty.
std::vector<llvm::ExtractElementInst*> lone_element(llvm::LoadInst* load) {
  std::vector<llvm::ExtractElementInst*> out;
  for (llvm::User* user : load->users()) {
    auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
    if (!extract || !llvm::isa<llvm::ConstantInt>(extract->getIndexOperand())) return {};
    if (!out.empty() && extract->getIndexOperand() != out[0]->getIndexOperand()) return {};
    out.push_back(extract);
  }
  return out;
}

bool narrow(llvm::LoadInst* load, const llvm::DataLayout& layout) {
  const auto extracts = lone_element(load);
  if (extracts.empty()) return false;
  llvm::Type* element = extracts[0]->getType();
  const uint64_t offset =
      llvm::cast<llvm::ConstantInt>(extracts[0]->getIndexOperand())->getZExtValue() * layout.getTypeStoreSize(element);
  llvm::IRBuilder<> b(load);
  llvm::Value* place = load->getPointerOperand();
  if (offset != 0) place = b.CreateInBoundsPtrAdd(place, b.getInt64(offset));
  llvm::LoadInst* alone = b.CreateAlignedLoad(element, place, llvm::commonAlignment(load->getAlign(), offset));
  alone->copyMetadata(*load, {llvm::LLVMContext::MD_dbg, llvm::LLVMContext::MD_invariant_load});
  for (llvm::ExtractElementInst* extract : extracts) {
    extract->replaceAllUsesWith(alone);
    extract->eraseFromParent();
  }
  load->eraseFromParent();
  return true;
}

}  // namespace

llvm::PreservedAnalyses LoneMembers::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (auto* load : all_of<llvm::LoadInst>(function))
    if (load->isSimple() && llvm::isa<llvm::FixedVectorType>(load->getType()))
      changed |= narrow(load, function.getDataLayout());
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
