// Copies of 16-byte aligned 16-byte objects become one access.
//
// `out[i] = in[i]` on a float4 is a memcpy in LLVM's IR, which the PTX backend splits into two 8-byte accesses; nvcc
// makes one 16-byte access. Counts of sectors and requests must not depend on that. Copies to and from local variables
// stay as they are: SROA dissolves them.
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct WidenCopies : llvm::PassInfoMixin<WidenCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
