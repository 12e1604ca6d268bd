#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/KnownBits.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// What is known of the address.
llvm::Align alignment_of(const llvm::Value* place, const llvm::DataLayout& layout) {
  if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(place))
    return alignment_of(cast->getPointerOperand(), layout);
  const auto* address = llvm::dyn_cast<llvm::GEPOperator>(place);
  if (!address) return place->getPointerAlignment(layout);
  const unsigned bits = layout.getIndexTypeSizeInBits(address->getType());
  llvm::MapVector<llvm::Value*, llvm::APInt> steps;
  llvm::APInt offset(bits, 0);
  if (!address->collectOffset(layout, bits, steps, offset)) return llvm::Align(1);
  llvm::Align known = commonAlignment(alignment_of(address->getPointerOperand(), layout), offset.getZExtValue());
  for (const auto& [index, step] : steps) {
    const unsigned zeros = llvm::computeKnownBits(index, layout).countMinTrailingZeros() + step.countTrailingZeros();
    known = std::min(known, llvm::Align(uint64_t{1} << std::min(zeros, 31u)));
  }
  return known;
}

}  // namespace

llvm::PreservedAnalyses AlignedAccesses::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::Instruction& one : llvm::instructions(function)) {
    const llvm::Value* place = llvm::getLoadStorePointerOperand(&one);
    if (!place) continue;
    const llvm::Align known = std::min(alignment_of(place, layout), llvm::Align(kWidestAccess));
    if (known <= llvm::getLoadStoreAlignment(&one)) continue;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&one))
      load->setAlignment(known);
    else
      llvm::cast<llvm::StoreInst>(one).setAlignment(known);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
