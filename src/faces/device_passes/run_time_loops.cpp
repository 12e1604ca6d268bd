#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

constexpr unsigned kFactor = 4;
// Instructions after unrolling: chosen so that the loops of tests/faces/cli/loops.sh get nvcc's factors. nvcc's own
// limit is not known.
constexpr unsigned kLongestBody = 150;

unsigned length(const llvm::Loop& loop) {
  unsigned count = 0;
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const llvm::Instruction& one : block->instructionsWithoutDebug()) count += !llvm::isa<llvm::PHINode>(one);
  return count;
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

// Whether the source says how often to unroll the loop.
bool decided(const llvm::Loop& loop) {
  return llvm::any_of(llvm::ArrayRef{"llvm.loop.unroll.count", "llvm.loop.unroll.disable", "llvm.loop.unroll.full",
                                     "llvm.loop.unroll.enable"},
                      [&](const char* name) { return llvm::findStringMetadataForLoop(&loop, name).has_value(); });
}

}  // namespace

llvm::PreservedAnalyses RunTimeLoops::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  auto& scalars = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  for (llvm::Loop* loop : analyses.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->getExitingBlock() || decided(*loop)) continue;
    const llvm::SCEV* count = scalars.getBackedgeTakenCount(loop);
    if (llvm::isa<llvm::SCEVCouldNotCompute, llvm::SCEVConstant>(count) || !cheap(count)) continue;
    const unsigned most = scalars.getSmallConstantMaxTripCount(loop);
    if (most != 0 && most <= 2 * kFactor) continue;
    unsigned factor = kFactor;
    while (factor > 1 && factor * length(*loop) > kLongestBody) factor /= 2;
    if (factor > 1) llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", factor);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace drywarp::device_passes
