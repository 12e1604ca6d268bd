// Turns copies of small structures into accesses to their members, all loads before all stores.
//
// `float4 v = in[i]` is a memcpy in LLVM's IR. SROA cannot split it if the variable is only copied (PTX has no 16-byte
// integer), and the variable stays in local memory. nvcc copies member by member. Members of equal size that fill an
// aligned access of 4, 8 or 16 bytes (float4, uchar4, double2) become one vector access, as in nvcc, however many of
// them are used. If only one member is used, nvcc loads that member alone (LoneMembers).
#pragma once

#include <llvm/IR/PassManager.h>

namespace drywarp::device_passes {

struct MemberCopies : llvm::PassInfoMixin<MemberCopies> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

// Narrows a vector load of which only one element is used. Runs last.
struct LoneMembers : llvm::PassInfoMixin<LoneMembers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace drywarp::device_passes
