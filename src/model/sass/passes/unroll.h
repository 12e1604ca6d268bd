// Which loops ptxas unrolls, and how often. Read from its code (CUDA 13, -O3, sm_90) for generated loops.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// What a register that each iteration steps by a constant holds before the loop: a constant, or a place in a constant
// variable.
struct Start {
  Register reg = kNone;
  Source value;         // the constant, or the variable's address
  uint64_t offset = 0;  // from there
};

struct Unrolling {
  std::vector<unsigned> copies;  // how many iterations each unrolled region covers, most first; none: not unrolled
  std::vector<Start> starts{};   // if one region covers all iterations: of the counter, and others
  Source goes_on{};              // ... with branches between them, which leave where this predicate is false
  // Only the launch knows how many iterations there are. `counter` is compared with `limit`, also before the loop.
  bool by_count = false;
  Register counter = kNone;
  Source limit{};
  [[nodiscard]] bool whole() const { return !starts.empty(); }
};

// `path`: the steps of the loop's body, which its last branch leaves or repeats.
[[nodiscard]] Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, std::span<const Step> path);

// Of a loop that its first block, `head`, leaves, and whose other blocks, `rest`, follow each other and jump back: as
// nvcc writes loops with an odd count, of which it has joined two iterations. Only a loop that becomes straight code as
// a whole: copies of `head`, with `rest` between any two.
[[nodiscard]] Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, uint32_t head,
                                       std::span<const uint32_t> rest);

// Of the loop that the block is; a block that is no loop is not unrolled.
[[nodiscard]] Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, uint32_t block);

// By how much each execution of the block moves the register, if it only adds a constant to it.
[[nodiscard]] std::optional<int64_t> step_of(const CodeBlock& block, Register r);

// Slots in which the instruction issues.
[[nodiscard]] unsigned issued(const Instruction& c);

}  // namespace drywarp::sass
