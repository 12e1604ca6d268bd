// Lowers PTX to an estimate of the machine code that ptxas would generate: which instructions, how many, in what order,
// with how many registers. No SASS is written or read. model/machine/machine_code.h describes the result.
#pragma once

#include <span>
#include <string>

#include "base/support/result.h"
#include "language/analysis/code_numbers.h"
#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"

namespace drywarp::sass {

inline constexpr uint32_t kOldest = 50;  // compute capability; machine code of older GPUs is not modelled

struct Options {
  uint32_t compute_capability = 90;  // 9.0 -> 90
  uint32_t max_registers = 0;        // -maxrregcount, for kernels without launch bounds; 0: none
  // Registers of a multiprocessor, which launch bounds divide among threads. 0: launch bounds limit nothing.
  uint32_t multiprocessor_registers = 0;
  uint32_t multiprocessor_threads = 2048;
  // Registers that a compiler is known to have used: the code is scheduled for this number. 0: not known.
  uint32_t registers = 0;
  bool spills = true;  // false: that compiler is known to have spilled nothing
  bool texts = false;  // whether to write MachineKernel::texts
  // Bytes of shared memory of a multiprocessor, and those of each block that programs cannot use. 0: it limits nothing.
  uint32_t multiprocessor_shared = 0, shared_reserved_per_block = 0;
};

// `parts`: the kernel as the engine runs it (analysis::code_to_run), and the functions that it really calls. Blocks,
// instructions and accesses have the numbers that counts and traces have.
//
// Errors: a function without a body; compute capabilities below kOldest.
[[nodiscard]] Result<machine::MachineKernel> lower(const ir::Module& module, std::span<const analysis::CodePart> parts,
                                                   const Options& options);
// The kernel alone.
[[nodiscard]] Result<machine::MachineKernel> lower(const ir::Module& module, const ir::Function& code,
                                                   const Options& options);

// The kernel and what it really calls: inlines calls, splits blocks, then lowers.
[[nodiscard]] Result<machine::MachineKernel> lower(const ir::Module& module, ir::FunctionId kernel,
                                                   const Options& options);

}  // namespace drywarp::sass
