#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

constexpr unsigned kFactor = 4;
// A loop with a constant count becomes straight code up to this size. nvcc 13 did so, and took 8, 4 or 2 iterations at
// once of the others, in 142 of 143 loops of 1 to 32 products with 5 to 1,000 iterations.
constexpr unsigned kLongestWhole = 322, kLongestPart = 140;

const llvm::Type* accessed(const llvm::Instruction& one) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&one)) return load->getType();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&one)) return store->getValueOperand()->getType();
  return nullptr;
}

// What nvcc counts: neither addresses nor conversions, which are operands. The constant in p[i + 1] is an addition to
// an index for nvcc, and to p[i]'s address here. A vector is an access for each element until the backend joins them.
unsigned size(const llvm::Loop& loop) {
  constexpr unsigned kDivision = 4;
  unsigned count = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& one : block->instructionsWithoutDebug()) {
      const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&one);
      if (llvm::isa<llvm::ExtractElementInst, llvm::InsertElementInst>(one)) continue;
      if (const auto* vector = llvm::dyn_cast_or_null<llvm::FixedVectorType>(accessed(one))) {
        count += vector->getNumElements();
        continue;
      }
      const bool adds = address && address->hasAllConstantIndices() &&
                        llvm::isa<llvm::GetElementPtrInst>(address->getPointerOperand());
      count += one.isIntDivRem() || one.getOpcode() == llvm::Instruction::FDiv
                   ? kDivision
                   : adds || !llvm::isa<llvm::PHINode, llvm::GetElementPtrInst, llvm::CastInst>(one);
    }
  return count;
}

// Without the comparison and the branch, which are there once.
unsigned size_of_iterations(const llvm::Loop& loop, unsigned count) { return count * (size(loop) - 2) + 2; }

// A local array whose indices become constants may become registers.
bool uses_local_array(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& one : *block)
      if (const llvm::Value* place = llvm::getLoadStorePointerOperand(&one))
        if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(place))) return true;
  return false;
}

// Whether the count can be computed without a division.
bool cheap(const llvm::SCEV* count) {
  return !llvm::SCEVExprContains(count, [](const llvm::SCEV* part) {
    const auto* division = llvm::dyn_cast<llvm::SCEVUDivExpr>(part);
    if (!division) return false;
    const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(division->getRHS());
    return !by || !by->getAPInt().isPowerOf2();
  });
}

// An unrolled loop has this metadata, and lacks LLVM's "llvm.loop.unroll.disable", which would become PTX's "nounroll".
// nvcc says "nounroll" of the loop for the remainder alone: ptxas unrolls the unrolled loop again, if it is short.
constexpr const char* kUnrolled = "drywarp.loop.unrolled";
// How many iterations at once of a loop with a constant count that ConstantLoops has decided not to unroll as a whole.
constexpr const char *kInPart = "drywarp.loop.in_part", *kDisabled = "llvm.loop.unroll.disable";

// Whether the source says how often to unroll the loop, or it has been done.
bool decided(const llvm::Loop& loop) {
  return llvm::any_of(llvm::ArrayRef{"llvm.loop.unroll.count", "llvm.loop.unroll.disable", "llvm.loop.unroll.full",
                                     "llvm.loop.unroll.enable", kUnrolled},
                      [&](const char* name) { return llvm::findStringMetadataForLoop(&loop, name).has_value(); });
}

void unroll(llvm::Loop& loop, unsigned factor) {
  if (factor <= 1) return;
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", factor);
  const auto text = [&](const char* words) { return llvm::MDString::get(context, words); };
  llvm::Metadata* const after[] = {text("llvm.loop.unroll.followup_unrolled"),
                                   llvm::MDNode::get(context, {text(kUnrolled)})};
  llvm::MDNode* const id = loop.getLoopID();
  llvm::SmallVector<llvm::Metadata*, 4> all(id->op_begin(), id->op_end());
  all.push_back(llvm::MDNode::get(context, after));
  llvm::MDNode* const more = llvm::MDNode::getDistinct(context, all);
  more->replaceOperandWith(0, more);
  loop.setLoopID(more);
}

// As many iterations at once as nvcc takes of a loop. `multiple`: what is known to divide the count.
unsigned part_of(const llvm::Loop& loop, unsigned multiple) {
  for (unsigned factor = 2 * kFactor; factor > 1; factor /= 2)
    if (size_of_iterations(loop, factor) <= kLongestPart && (factor <= kFactor || multiple % factor == 0))
      return factor;
  return 1;
}

void forget(llvm::Loop& loop) {
  loop.setLoopID(
      llvm::makePostTransformationMetadata(loop.getHeader()->getContext(), loop.getLoopID(), {kDisabled, kInPart}, {}));
}

}  // namespace

llvm::PreservedAnalyses ConstantLoops::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                           llvm::LoopStandardAnalysisResults& analyses, llvm::LPMUpdater&) {
  const unsigned count = analyses.SE.getSmallConstantTripCount(&loop);
  if (count == 0 || !loop.isInnermost() || decided(loop) || uses_local_array(loop))
    return llvm::PreservedAnalyses::all();
  if (size_of_iterations(loop, count) <= kLongestWhole) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
  } else {
    llvm::addStringMetadataToLoop(&loop, kDisabled, 1);
    llvm::addStringMetadataToLoop(&loop, kInPart, part_of(loop, count));
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses RunTimeLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (const std::optional<int> factor = llvm::getOptionalIntLoopAttribute(loop, kInPart)) {
      forget(*loop);
      unroll(*loop, *factor);
      continue;
    }
    if (!loop->isInnermost() || !loop->getExitingBlock() || decided(*loop)) continue;
    if (const unsigned constant = scalars.getSmallConstantTripCount(loop)) {  // its local arrays are registers by now
      unroll(*loop, part_of(*loop, constant));
      continue;
    }
    const llvm::SCEV* count = scalars.getBackedgeTakenCount(loop);
    if (llvm::isa<llvm::SCEVCouldNotCompute, llvm::SCEVConstant>(count) || !cheap(count)) continue;
    const unsigned most = scalars.getSmallConstantMaxTripCount(loop);
    if (most != 0 && most <= 2 * kFactor) continue;
    unroll(*loop, part_of(*loop, 1));
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses LoopBranches::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    llvm::BasicBlock* const latch = loop->getLoopLatch();
    auto* const branch = latch ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getSuccessor(1) != loop->getHeader()) continue;
    auto* const compare = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!compare || !compare->hasOneUse()) continue;
    compare->setPredicate(compare->getInversePredicate());
    branch->swapSuccessors();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace drywarp::device_passes
