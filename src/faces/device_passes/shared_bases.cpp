#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

using llvm::PatternMatch::m_And;
using llvm::PatternMatch::m_APInt;
using llvm::PatternMatch::m_Or;
using llvm::PatternMatch::m_Specific;
using llvm::PatternMatch::m_Value;

// `value` without the bits of `set`, if the function computes that before `user`.
llvm::Instruction* base_of(llvm::Value* value, const llvm::APInt& set, const llvm::Instruction& user,
                           const llvm::DominatorTree& order) {
  const llvm::APInt possible = ~llvm::computeKnownBits(value, user.getDataLayout()).Zero;
  for (llvm::User* other : value->users()) {
    const llvm::APInt* mask = nullptr;
    auto* masked = llvm::dyn_cast<llvm::Instruction>(other);
    if (!masked || !match(masked, m_And(m_Specific(value), m_APInt(mask)))) continue;
    if ((*mask & possible) == (~set & possible) && order.dominates(masked, &user)) return masked;
  }
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses SharedBases::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  const llvm::DominatorTree& order = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  bool changed = false;
  for (auto* one : all_of<llvm::BinaryOperator>(function)) {
    llvm::Value* value = nullptr;
    const llvm::APInt* set = nullptr;
    if (!match(one, m_Or(m_Value(value), m_APInt(set))) || !one->getType()->isIntegerTy()) continue;
    llvm::Instruction* base = base_of(value, *set, *one, order);
    if (!base) continue;
    one->setOperand(0, base);
    llvm::cast<llvm::PossiblyDisjointInst>(one)->setIsDisjoint(true);
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace drywarp::device_passes
