// A pass for clang's device compilation (-fpass-plugin): copies of 16-byte aligned 16-byte objects become one access.
//
// `out[i] = in[i]` on a float4 is a memcpy in LLVM's IR, which the PTX backend splits into two 8-byte accesses; nvcc
// makes one 16-byte access. Counts of sectors and requests must not depend on that. Copies to and from local variables
// stay as they are: SROA dissolves them.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

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

struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    llvm::SmallVector<llvm::MemCpyInst*, 8> copies;
    for (llvm::BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) copies.push_back(copy);
    bool changed = false;
    for (llvm::MemCpyInst* copy : copies) changed |= widen(copy);
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

}  // namespace

extern "C" __attribute__((weak, visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "drywarp device passes", "1", [](llvm::PassBuilder& builder) {
            // Late enough that local variables are gone, early enough that the backend has not seen the copy.
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(WidenCopies()));
            });
          }};
}
