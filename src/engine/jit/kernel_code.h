// What the JIT makes of a kernel, and what it needs to know to make it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "language/analysis/passes.h"
#include "language/analysis/shapes.h"
#include "language/ir/kernel.h"

namespace drywarp::jit {

// Everything that analysis knows of one function, for one shape of block: the input of code generation.
struct PreparedFunction {
  ir::Function code;  // calls inlined, split at waits
  analysis::BlockShape block;
  analysis::ControlFlow flow;
  analysis::Liveness live;
  analysis::Shapes shapes;
  analysis::WaitingLoops loops;
  std::vector<bool> late_readers;  // by instruction: analysis::overwrites_late_readers
  // Numbers of the counters, kNone where an instruction has none.
  std::vector<uint32_t> predicate_slot, branch_slot, access_slot, access_slot2;  // by instruction
  uint32_t predicates = 0, branches = 0, accesses = 0;
  bool waits = false;  // has an instruction at which warps or lanes wait for each other
  bool reads_clock = false;
  bool uses_reserved_shared = false;  // asks where the reserved part of shared memory is
  bool order_sensitive = false;       // results can depend on the order in which blocks run
};

struct CodeOptions {
  bool counters = true;
  bool traced = false;   // every block and every access is told to the runtime as well: dw_trace_*
  bool watched = false;  // stores, atomics and some loads of memory that all blocks share are told first: dw_watch
  // A lane of the kernel may have to wait for another lane of its warp: the warp form can hand over to the group form.
  bool reschedules = true;
  bool clocked = false;        // something asks for the time: the warp's instructions move the clock
  unsigned vector_bits = 128;  // of the machine: 512, 256 or 128
  uint32_t shared_period = 4;  // SharedBanks::period()
  // Masked loads and stores are cheap.
  [[nodiscard]] bool masked_memory() const { return vector_bits == 512; }
};

// %clock, %clock64, %globaltimer and their halves.
[[nodiscard]] bool reads_clock(const ir::Instruction& in);

// Bytes from one register to the next in the register file of the lane-group scheduler.
[[nodiscard]] uint64_t register_stride(const ir::Function& code);

// The access slots of an instruction: 1, or 3 for a generic address, in the order of Memory.
[[nodiscard]] bool has_generic_address(const ir::Instruction& in);

// All but the shapes, which is all that the block matters for.
PreparedFunction analyse(const ir::Module& module, const ir::Function& function);
PreparedFunction prepare(const PreparedFunction& analysed, const analysis::BlockShape& block);

}  // namespace drywarp::jit
