// PTX to the machine code that ptxas would make of it, nearly: which instructions, how many, in what order, with how
// many registers. No SASS is made or read; what is computed from it is an estimate. See model/machine/machine_code.h
// for what comes out.
#pragma once

#include <string>

#include "base/events/counts.h"
#include "base/support/result.h"
#include "language/ir/kernel.h"
#include "model/machine/machine_code.h"

namespace drywarp::sass {

// Machine code of older GPUs is not modelled.
inline constexpr uint32_t kOldest = 50;

struct Options {
  uint32_t compute_capability = 90;  // 9.0 -> 90
  uint32_t max_registers = 0;        // -maxrregcount, for kernels without bounds of their own; 0: none
  // Of a multiprocessor: what the kernel's launch bounds divide among threads. 0: launch bounds limit nothing.
  uint32_t multiprocessor_registers = 0;
  // That a compiler is known to have given the kernel: the code is ordered for as many, bounds or not. 0: not known.
  uint32_t registers = 0;
  bool spills = true;  // false: that compiler is known to have spilled nothing
};

// `code` is the function as the engine runs it: calls inlined, blocks split at waits, so that block numbers are those
// of LaunchCounts::blocks. `info` (of the same function) gives instructions and accesses their numbers; without it they
// are numbered in the order of the code.
//
// Errors: a function without a body; compute capabilities below kOldest.
[[nodiscard]] Result<machine::MachineKernel> lower(const ir::Module& module, const ir::Function& code,
                                                   const Options& options, const KernelInfo* info = nullptr);

// The same from a module: inlines and splits first.
[[nodiscard]] Result<machine::MachineKernel> lower(const ir::Module& module, ir::FunctionId kernel,
                                                   const Options& options);

}  // namespace drywarp::sass
