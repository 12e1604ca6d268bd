// How thoroughly LLVM compiles a function. For large functions of wide vectors its optimiser and register allocator
// take more than linear time. A function beyond a budget is compiled in linear time instead: registers stay in memory
// between instructions, and each block is compiled alone. Such code runs slower; its counts are the same.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

namespace drywarp::jit {

enum class Effort : uint8_t { Full, Linear };

// An estimate of the module's size in machine instructions: an operation on 32 lanes counts once for each vector
// register that it fills. The effort depends on nothing else, so a kernel always compiles to the same code.
[[nodiscard]] uint64_t size_of(const llvm::Module& module, unsigned vector_bits);
[[nodiscard]] inline Effort effort_for(uint64_t size, uint64_t budget) {
  return size <= budget ? Effort::Full : Effort::Linear;
}

[[nodiscard]] llvm::CodeGenOptLevel code_generator_level(Effort effort);
void optimise(llvm::Module& module, llvm::TargetMachine& target, Effort effort);

}  // namespace drywarp::jit
