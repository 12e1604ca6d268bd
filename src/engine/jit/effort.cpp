#include "engine/jit/effort.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>

namespace drywarp::jit {

uint64_t size_of(const llvm::Module& module, unsigned vector_bits) {
  const auto bits = [](const llvm::Type* type) -> uint64_t {
    return type->isVectorTy() ? type->getPrimitiveSizeInBits().getFixedValue() : 0;
  };
  uint64_t size = 0;
  for (const llvm::Function& function : module)
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& in : block) {
        uint64_t widest = bits(in.getType());
        for (const llvm::Use& operand : in.operands()) widest = std::max(widest, bits(operand->getType()));
        size += std::max<uint64_t>(1, widest / vector_bits);
      }
  return size;
}

llvm::CodeGenOptLevel code_generator_level(Effort effort) {
  return effort == Effort::Full ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::None;
}

void optimise(llvm::Module& module, llvm::TargetMachine& target, Effort effort) {
  if (effort == Effort::Linear) return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager groups;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(groups);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, groups, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

}  // namespace drywarp::jit
