// Which loops ptxas unrolls, and how often. Read from its code (CUDA 13, -O3, sm_90) for generated loops.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/sass/code/code.h"
#include "model/sass/code/flow.h"

namespace drywarp::sass {

// The counter of a loop from a constant to a constant.
struct Counter {
  Register reg = kNone;
  uint32_t start = 0;
};

struct Unrolling {
  std::vector<unsigned> copies;    // how many iterations each unrolled region covers, most first; none: not unrolled
  std::optional<Counter> counter;  // set if one region covers all iterations
  [[nodiscard]] bool whole() const { return counter.has_value(); }
};

// `path`: the steps of the loop's body, which its last branch leaves or repeats.
[[nodiscard]] Unrolling find_unrolling(const Kernel& kernel, const Flow& flow, std::span<const Step> path);

// By how much each execution of the block moves the register, if it only adds a constant to it.
[[nodiscard]] std::optional<int64_t> step_of(const CodeBlock& block, Register r);

// Slots in which the instruction issues.
[[nodiscard]] unsigned issued(const Instruction& c);

}  // namespace drywarp::sass
