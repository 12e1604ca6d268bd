// Helpers of the passes over copies.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

namespace drywarp::device_passes {

inline constexpr uint64_t kWidestAccess = 16;  // of a thread, in bytes

// The function's instructions of a kind, collected so that they can be replaced.
template <class Kind>
llvm::SmallVector<Kind*, 8> all_of(llvm::Function& function) {
  llvm::SmallVector<Kind*, 8> out;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* one = llvm::dyn_cast<Kind>(&instruction)) out.push_back(one);
  return out;
}

// The widest access for which both sides of a copy are aligned, in bytes.
inline uint64_t widest_access(const llvm::MemCpyInst& copy) {
  return std::min(
      {kWidestAccess, copy.getSourceAlign().valueOrOne().value(), copy.getDestAlign().valueOrOne().value()});
}

}  // namespace drywarp::device_passes
