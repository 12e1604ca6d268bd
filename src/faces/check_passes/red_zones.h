// A pass of clang's device compilation for programs that are checked.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::check_passes {

// Puts padding before and behind each variable that stays in local memory, and calls __drywarp_red_zone(address, bytes)
// for it where its kernel or function starts, and with 0 bytes where threads return from the function: an index past
// the end of a local array hits padding, not the next array. Runs last, so that the code is otherwise the same.
struct RedZones : llvm::PassInfoMixin<RedZones> {
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }  // without optimization too
};

}  // namespace drywarp::check_passes
