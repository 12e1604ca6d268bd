// A pass of clang's device compilation for programs that are checked.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::check_passes {

// Puts padding before and behind each variable that stays in local memory: an index past the end of a local array hits
// padding, not the next array. Where its kernel or function starts, it calls __drywarp_local_array() with the address
// of the padding, the bytes of padding before it, of the variable and of padding behind it, and up to 24 characters of
// its name, in three words; where threads return from the function, with zeros. Runs last, so that the code is
// otherwise the same.
struct RedZones : llvm::PassInfoMixin<RedZones> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

}  // namespace drywarp::check_passes
