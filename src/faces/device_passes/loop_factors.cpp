#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "faces/device_passes/loop_size.h"
#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// Loops that run at most so often are not unrolled if the count is known at run time alone.
constexpr unsigned kFewIterations = 8;

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
// How many iterations at once of a loop that LoopFactors has decided not to unroll as a whole.
constexpr const char *kInPart = "drywarp.loop.in_part", *kDisabled = "llvm.loop.unroll.disable";
constexpr const char* kAtRunTime = "drywarp.loop.at_run_time";  // the count is not a constant

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

// Whether a loop's count is known when it starts, and nvcc unrolls it.
bool counted(llvm::Loop& loop, llvm::ScalarEvolution& scalars) {
  if (!loop.getExitingBlock()) return false;
  const llvm::SCEV* count = scalars.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute, llvm::SCEVConstant>(count) || !cheap(count)) return false;
  const unsigned most = scalars.getSmallConstantMaxTripCount(&loop);
  return most == 0 || most > kFewIterations;
}

void forget(llvm::Loop& loop) {
  loop.setLoopID(llvm::makePostTransformationMetadata(loop.getHeader()->getContext(), loop.getLoopID(),
                                                      {kDisabled, kInPart, kAtRunTime}, {}));
}

}  // namespace

llvm::PreservedAnalyses LoopFactors::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                         llvm::LoopStandardAnalysisResults& analyses, llvm::LPMUpdater&) {
  const unsigned count = analyses.SE.getSmallConstantTripCount(&loop);
  // A function's loops are shorter by what has been optimized when it is inlined: only a count that is a constant there
  // decides anew.
  if (count != 0 && llvm::findOptionMDForLoop(&loop, kAtRunTime)) forget(loop);
  if (!loop.isInnermost() || decided(loop)) return llvm::PreservedAnalyses::all();
  if (count == 0 && !counted(loop, analyses.SE)) return llvm::PreservedAnalyses::all();
  const LoopSize size = size_of(loop);
  const unsigned part = part_of(size, count);
  // nvcc takes as many iterations at once as divide the count, and then all of what is left.
  const unsigned rest = count % part == 0 ? part : 1;
  if (count != 0 && (size.times(rest).whole(count / rest) || (walks_local_array(loop) && size.fits_for_array(count)))) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
  } else {
    llvm::addStringMetadataToLoop(&loop, kDisabled, 1);
    llvm::addStringMetadataToLoop(&loop, kInPart, part);
    if (count == 0) llvm::addStringMetadataToLoop(&loop, kAtRunTime, 1);
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses PartsOfLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder())
    if (const std::optional<int> factor = llvm::getOptionalIntLoopAttribute(loop, kInPart)) {
      forget(*loop);
      unroll(*loop, *factor);
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
