// Relocatable device code: gives each static variable and function of a source one name.
//
// A static variable that the host also uses gets a global name with the unit's id (x -> x__static__1f...). clang
// renames it where it meets the host's use, so kernels before that refer to an undefined external `x`: the pass makes
// them refer to the definition. It also removes clang's list of symbols that other sources use,
// __clang_gpu_used_external, which would declare other sources' kernels as external functions.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct UnitNames : llvm::PassInfoMixin<UnitNames> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

}  // namespace drywarp::device_passes
