// The input of code generation: a function with its analyses, and options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/events/counts.h"
#include "base/events/run_events.h"
#include "language/analysis/code_numbers.h"
#include "language/analysis/passes.h"
#include "language/analysis/shapes.h"
#include "language/analysis/value_tests.h"
#include "language/ir/kernel.h"

namespace drywarp::jit {

// One function with the results of all analyses, for one block shape.
struct PreparedFunction {
  ir::Function code;  // calls inlined, split at waits
  analysis::BlockShape block;
  analysis::ControlFlow flow;
  analysis::Liveness live;
  analysis::Shapes shapes;
  analysis::WaitingLoops loops;
  analysis::RacingLoops racing;
  analysis::ThreadEnds ends;
  std::vector<bool> late_readers;         // by instruction: analysis::overwrites_late_readers
  std::vector<analysis::WordPart> parts;  // as analysis::word_parts
  analysis::UsedReads reads;
  std::map<uint32_t, analysis::TestedValue> tests;  // by instruction
  analysis::CodeNumbers numbers;                    // of its counters
  bool waits = false;  // has a barrier, or another instruction at which warps or lanes wait for each other
  bool reads_clock = false;
  bool uses_reserved_shared = false;  // reads the address of the reserved part of shared memory
  bool uses_workspace = false;        // reads the address of the memory in which blocks synchronize their grid
  bool local_addresses = false;       // computes generic addresses of local memory
  bool order_sensitive = false;       // results can depend on the order in which blocks run
};

struct CodeOptions {
  bool counters = true;
  RunEvents events{};    // that it reports
  bool watched = false;  // calls dw_watch before stores, atomics and some loads of memory that blocks share
  // Lanes may have to wait for lanes of their own warp: the warp form can hand over to the group form.
  bool reschedules = true;
  bool clocked = false;        // the kernel reads the clock, so each warp instruction advances it
  unsigned vector_bits = 128;  // of the host: 512, 256 or 128
  uint32_t shared_period = 4;  // SharedBanks::period()
  // Masked loads and stores are cheap.
  [[nodiscard]] bool masked_memory() const { return vector_bits == 512; }
};

// Bytes from one register to the next in the register file of the lane-group scheduler.
[[nodiscard]] uint64_t register_stride(const ir::Function& code);

// The access slots of an instruction: 1, or 3 for a generic address, in the order of Memory.
[[nodiscard]] bool has_generic_address(const ir::Instruction& in);

// All analyses except the shapes, which depend on the block.
PreparedFunction analyse(const ir::Module& module, const ir::Function& function);
// Adds the shapes.
PreparedFunction prepare(const PreparedFunction& analysed, const analysis::BlockShape& block);

}  // namespace drywarp::jit
