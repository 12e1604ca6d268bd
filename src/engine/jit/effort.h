// How much of LLVM's work a function gets. Its optimiser and its register allocator take more than in proportion for
// large functions of wide vectors; what is beyond a budget is compiled in proportion to its size instead: registers
// stay in memory from one instruction to the next, and every block is a matter of its own. That code runs slower and
// counts the same.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

#include "base/support/result.h"

namespace drywarp::jit {

enum class Effort : uint8_t { Full, InProportion };

// By the size of the module alone, so that the same kernel always becomes the same code. Sizes are in machine
// instructions, nearly: an operation on 32 lanes counts for each of the vectors that it takes.
[[nodiscard]] uint64_t size_of(const llvm::Module& module, unsigned vector_bits);
[[nodiscard]] inline Effort effort_for(uint64_t size, uint64_t budget) {
  return size <= budget ? Effort::Full : Effort::InProportion;
}

[[nodiscard]] llvm::CodeGenOptLevel code_generator_level(Effort effort);
void optimise(llvm::Module& module, llvm::TargetMachine& target, Effort effort);

// Error: the function's registers in memory do not fit on the stack of a warp.
Status check_frame(const llvm::Module& module);

}  // namespace drywarp::jit
