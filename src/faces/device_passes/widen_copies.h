// Widens the memcpys that remain at the end because their type is unknown. Aligned copies of 16 bytes become one
// access; the PTX backend would make two of 8 bytes. Long copies become a loop with the widest aligned access; the
// backend would copy byte by byte. nvcc does both, and counts of sectors and requests must not depend on the compiler.
// Short copies to and from local variables stay as they are.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
