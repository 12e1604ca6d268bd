// The plug-in that adds the passes for checked programs to clang's device compilation (-fpass-plugin).
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include "faces/check_passes/red_zones.h"

extern "C" __attribute__((weak, visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "drywarp check passes", "1", [](llvm::PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              passes.addPass(drywarp::check_passes::RedZones());
            });
          }};
}
