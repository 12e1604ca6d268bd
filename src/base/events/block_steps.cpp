#include "base/events/block_steps.h"

#include <algorithm>

namespace drywarp {

std::vector<InstructionRange> instruction_ranges(const KernelInfo& kernel) {
  std::vector<InstructionRange> ranges;
  for (uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const uint32_t block = kernel.instructions[i].block;
    if (block == InstructionInfo::kNone) continue;
    if (ranges.size() <= block) ranges.resize(block + size_t{1});
    InstructionRange& range = ranges[block];
    if (range.first > range.last) range.first = i;
    range.last = std::max(range.last, i);
  }
  return ranges;
}

}  // namespace drywarp
