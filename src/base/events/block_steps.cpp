#include "base/events/block_steps.h"

#include <algorithm>
#include <bit>

namespace drywarp {
namespace {

// Lanes that wait or have ended while others of their warp run, summed over the steps of the block.
uint64_t idle_lanes(const BlockTrace& block) {
  uint64_t idle = 0;
  for (const WarpTrace& warp : block.warps) {
    LaneMask all = 0;
    for (const WarpStep& step : warp.steps) all |= step.lanes;
    for (const WarpStep& step : warp.steps)
      idle += uint64_t{step.repeats} * static_cast<uint64_t>(std::popcount(all & ~step.lanes));
  }
  return idle;
}

BlockSteps::Warp first_steps(const WarpTrace& warp, size_t most) {
  BlockSteps::Warp out;
  const size_t count = std::min(warp.steps.size(), most);
  out.cut = count < warp.steps.size();
  out.steps.assign(warp.steps.begin(), warp.steps.begin() + static_cast<ptrdiff_t>(count));
  // Accesses count the repeats of steps one by one.
  uint64_t executed = 0;
  size_t at = 0;
  for (const TraceAccess& access : warp.accesses) {
    while (at < count && executed + out.steps[at].repeats <= access.step) executed += out.steps[at++].repeats;
    if (at == count) break;
    if (access.is_barrier() && out.barriers.size() < most)
      out.barriers.push_back({static_cast<uint32_t>(at), access.units});
  }
  return out;
}

}  // namespace

BlockSteps steps_to_draw(const LaunchTrace& trace, size_t most) {
  if (trace.blocks.empty()) return {};
  const auto chosen = std::ranges::max_element(trace.blocks, {}, idle_lanes);  // the first of equals
  BlockSteps out{chosen->block, {}};
  for (const WarpTrace& warp : chosen->warps) out.warps.push_back(first_steps(warp, most / chosen->warps.size()));
  return out;
}

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
