// Relocatable device code: what one source calls its own, by one name throughout.
//
// A static variable that the host also uses gets a global name made of its own and the unit's (x -> x__static__1f...).
// clang learns of the host's use only when it comes to it, so kernels before that refer to an external `x` that nobody
// defines. And clang keeps a list of what other sources use, __clang_gpu_used_external, in which another source's
// kernel becomes an external function; a PTX file needs neither.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct UnitNames : llvm::PassInfoMixin<UnitNames> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

}  // namespace drywarp::device_passes
