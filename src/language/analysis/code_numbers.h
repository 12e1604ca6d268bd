// The numbers by which counts, traces and machine code name a function's instructions and accesses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/events/counts.h"
#include "language/ir/kernel.h"

namespace drywarp::analysis {

struct CodeNumbers {
  // By instruction of the function; kNone: it has none.
  std::vector<uint32_t> instruction;  // in KernelInfo::instructions; what a pass added has none; of a part: the whole's
  std::vector<uint32_t> predicate;    // in LaunchCounts::predicates: a guarded instruction that is not a branch
  std::vector<uint32_t> branch;       // in LaunchCounts::branches
  // In LaunchCounts::accesses. Of a generic address: the first of three, in the order of Memory. Of cp.async: its read
  // of global memory.
  std::vector<uint32_t> access;
  std::vector<uint32_t> written;  // of cp.async: its write to shared memory
  uint32_t predicates = 0, branches = 0, accesses = 0;
  uint32_t instructions = 0;  // entries of KernelInfo::instructions
};

[[nodiscard]] CodeNumbers number(const ir::Function& code);

// A kernel, or a function that it really calls. Each part's numbers follow those of the parts before it.
struct CodePart {
  const ir::Function* code = nullptr;                   // that runs
  uint32_t blocks = 0, instructions = 0, accesses = 0;  // how many there are before it
};
[[nodiscard]] std::vector<CodePart> number_parts(std::span<const ir::Function* const> functions);

// The memory under which accesses to a state space are counted; for a generic address, the first of all three. Nothing:
// they are not counted. Accesses to constant memory have a number all the same.
[[nodiscard]] std::optional<Memory> counted_memory(AddressSpace space);

}  // namespace drywarp::analysis
