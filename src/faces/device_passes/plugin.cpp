// The plug-in that adds our passes to clang's device compilation (-fpass-plugin).
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "faces/device_passes/passes.h"

using namespace drywarp::device_passes;

extern "C" __attribute__((weak, visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "drywarp device passes", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(DeviceLaunches());
              passes.addPass(ExchangedValues());
              passes.addPass(UnitNames());
              passes.addPass(StaticVariables());
              passes.addPass(ClusterDimensions());
              passes.addPass(LibraryFunctions());
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(MemberCopies()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(UnknownRanges()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(PureAssembly()));
            });
            // Local variables are values, and nothing is combined yet.
            builder.registerPipelineEarlySimplificationEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(HiddenDivisors()); });
            // When functions are inlined.
            builder.registerPeepholeEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(KnownSpaces());
              passes.addPass(JoinedConditions());
              passes.addPass(SingleLatches());
            });
            // Right before loops become straight code, each right behind its inner ones.
            builder.registerLateLoopOptimizationsEPCallback(
                [](llvm::LoopPassManager& passes, llvm::OptimizationLevel) { passes.addPass(LoopFactors()); });
            // Right before loops are unrolled in parts.
            builder.registerVectorizerStartEPCallback([](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(RevealedDivisors(/*all=*/false));
              passes.addPass(PartsOfLoops());
            });
            // After local variables are gone, before the backend lowers memcpy.
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(RevealedDivisors(/*all=*/true)));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(FreedLatches()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(WidenCopies()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(LoneMembers()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(AddressOffsets()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(SharedBases()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(AlignedAccesses()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(Counters()));
              passes.addPass(llvm::createModuleToFunctionPassAdaptor(LoopBranches()));
              passes.addPass(CallersLines());
            });
          }};
}
