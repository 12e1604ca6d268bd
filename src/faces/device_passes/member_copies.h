// Copies of small structures become accesses of their members, all loads before all stores.
//
// `float4 v = in[i]` is a memcpy in LLVM's IR. SROA cannot dissolve it where the variable is only copied (its 16 bytes
// are no integer that PTX has), and the variable stays in local memory, which no GPU program has there: nvcc copies
// member by member. Members of one size that fill an aligned piece of 4, 8 or 16 bytes (float4, uchar4, double2)
// are one vector, as nvcc's accesses are, however many of them are used; of a vector of which one member alone is used
// nvcc loads that member (LoneMembers).
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct MemberCopies : llvm::PassInfoMixin<MemberCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Runs when all else is done.
struct LoneMembers : llvm::PassInfoMixin<LoneMembers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
