// Copies that are still memcpy when all else is done, because nothing is known of their type: those of 16-byte aligned
// 16-byte objects become one access, which the PTX backend would split into two of 8 bytes; long ones become a loop as
// wide as they are aligned, where the backend copies byte by byte. nvcc does both, and counts of sectors and requests
// must not depend on the compiler. Short copies to and from local variables stay as they are.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
