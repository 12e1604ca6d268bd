#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/SimplifyQuery.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Module.h>

#include "faces/device_passes/passes.h"

namespace drywarp::device_passes {
namespace {

// The special register that a call reads: tid.x.
llvm::StringRef register_of(const llvm::CallInst& call) {
  const llvm::Function* called = call.getCalledFunction();
  llvm::StringRef name = called ? called->getName() : "";
  return name.consume_front("llvm.nvvm.read.ptx.sreg.") ? name : "";
}

// One more than a register's greatest value on every architecture; 0: not limited.
uint64_t limit_of(llvm::StringRef name) {
  return llvm::StringSwitch<uint64_t>(name)
      .Cases("tid.x", "tid.y", 1024)
      .Case("tid.z", 64)
      .Cases("ntid.x", "ntid.y", 1025)
      .Case("ntid.z", 65)
      .Case("ctaid.x", 0x7fffffff)
      .Cases("ctaid.y", "ctaid.z", 0xffff)
      .Case("laneid", 32)
      .Default(0);
}

// Says of an addition that it does not wrap, if that is so: its constant can then be an address's offset.
bool says_no_wrap(llvm::BinaryOperator& one, const llvm::SimplifyQuery& query) {
  if (one.getOpcode() != llvm::Instruction::Add || !one.getType()->isIntegerTy()) return false;
  const llvm::SimplifyQuery here = query.getWithInstruction(&one);
  const auto never = llvm::OverflowResult::NeverOverflows;
  bool changed = false;
  if (!one.hasNoUnsignedWrap() &&
      llvm::computeOverflowForUnsignedAdd(one.getOperand(0), one.getOperand(1), here) == never) {
    one.setHasNoUnsignedWrap();
    changed = true;
  }
  if (!one.hasNoSignedWrap() &&
      llvm::computeOverflowForSignedAdd(one.getOperand(0), one.getOperand(1), here) == never) {
    one.setHasNoSignedWrap();
    changed = true;
  }
  return changed;
}

bool forget(llvm::Function& function) {
  bool changed = false;
  for (auto* call : all_of<llvm::CallInst>(function)) {
    if (register_of(*call).empty() || !call->hasRetAttr(llvm::Attribute::Range)) continue;
    call->removeRetAttr(llvm::Attribute::Range);
    changed = true;
  }
  return changed;
}

void remember(llvm::Function& function) {
  for (auto* call : all_of<llvm::CallInst>(function)) {
    const uint64_t limit = limit_of(register_of(*call));
    if (limit == 0) continue;
    const unsigned bits = call->getType()->getIntegerBitWidth();
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(bits, 0), llvm::APInt(bits, limit)));
  }
}

}  // namespace

llvm::PreservedAnalyses UnknownRanges::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  return forget(function) ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses AddressOffsets::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  remember(function);
  const llvm::SimplifyQuery query(function.getParent()->getDataLayout());
  bool changed = false;
  for (auto* one : all_of<llvm::BinaryOperator>(function)) changed |= says_no_wrap(*one, query);
  forget(function);  // the backend would divide otherwise than nvcc
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace drywarp::device_passes
