#include "events/warp_trace.h"

#include <unordered_map>

namespace drywarp {

std::vector<uint32_t> block_sizes(const KernelInfo& kernel) {
  std::vector<uint32_t> sizes;
  for (const InstructionInfo& i : kernel.instructions) {
    if (i.block >= sizes.size()) sizes.resize(i.block + 1);
    ++sizes[i.block];
  }
  return sizes;
}

uint64_t instructions_of(const BlockTrace& block, const std::vector<uint32_t>& sizes) {
  uint64_t sum = 0;
  for (const WarpTrace& warp : block.warps)
    for (const WarpStep& step : warp.steps)
      if (step.block < sizes.size()) sum += uint64_t{step.repeats} * sizes[step.block];
  return sum;
}

uint64_t places_of(const LaunchTrace& trace) {
  std::unordered_map<uint32_t, uint64_t> first;  // by instruction: the line that it touched first
  uint64_t digest = trace.blocks.size();
  const auto mix = [&](uint64_t value) { digest = (digest ^ value) * 0x9e3779b97f4a7c15 ^ digest >> 29; };
  for (const BlockTrace& block : trace.blocks)
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& access : warp.accesses) {
        if (access.space != TraceSpace::Global || access.line_count == 0) continue;
        const TraceLine* lines = warp.lines.data() + access.first_line;
        const uint64_t base = first.try_emplace(access.access, lines[0].number()).first->second;
        for (uint16_t i = 0; i < access.line_count; ++i) mix(lines[i].packed - (base << 13));
      }
  return digest;
}

}  // namespace drywarp
