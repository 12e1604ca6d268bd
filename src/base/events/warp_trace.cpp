#include "base/events/warp_trace.h"

#include <algorithm>
#include <unordered_map>

namespace drywarp {
namespace {

constexpr uint64_t kSampledLines = 8;  // one line in so many is sampled, by a hash

bool is_sampled(uint64_t line) { return (line * 0x9e3779b97f4a7c15 >> 32) % kSampledLines == 0; }

}  // namespace

std::vector<uint32_t> block_sizes(const KernelInfo& kernel) {
  std::vector<uint32_t> sizes;
  for (const InstructionInfo& i : kernel.instructions) {
    if (i.block == InstructionInfo::kNone) continue;  // the second access of an instruction
    if (i.block >= sizes.size()) sizes.resize(i.block + 1);
    ++sizes[i.block];
  }
  return sizes;
}

uint64_t instructions_of(const WarpTrace& warp, const std::vector<uint32_t>& sizes) {
  uint64_t sum = 0;
  for (const WarpStep& step : warp.steps)
    if (step.block < sizes.size()) sum += uint64_t{step.repeats} * sizes[step.block];
  return sum;
}

uint64_t instructions_of(const BlockTrace& block, const std::vector<uint32_t>& sizes) {
  uint64_t sum = 0;
  for (const WarpTrace& warp : block.warps) sum += instructions_of(warp, sizes);
  return sum;
}

uint64_t TraceRequest::sample_block(uint32_t number, uint64_t blocks_in_grid) const {
  const double within = static_cast<double>((number + 1) * uint64_t{0x9e3779b97f4a7c15} >> 40) / (1 << 24);
  return static_cast<uint64_t>((number + within) / sample_blocks * static_cast<double>(blocks_in_grid));
}

bool TraceRequest::is_sample_block(uint64_t block, uint64_t blocks_in_grid) const {
  if (sample_blocks == 0 || blocks_in_grid == 0) return false;
  const auto piece =
      static_cast<uint32_t>(static_cast<double>(block) / static_cast<double>(blocks_in_grid) * sample_blocks);
  for (uint32_t number = piece == 0 ? 0 : piece - 1; number < std::min(piece + 2, sample_blocks); ++number)
    if (sample_block(number, blocks_in_grid) == block) return true;
  return false;
}

std::vector<bool> loads_of(const KernelInfo& kernel) {
  std::vector<bool> loads;
  for (const InstructionInfo& in : kernel.instructions) {
    if (!in.load || in.access == InstructionInfo::kNone) continue;
    const size_t end = size_t{in.access} + (in.generic ? 3 : 1);
    if (loads.size() < end) loads.resize(end);
    std::fill(loads.begin() + in.access, loads.begin() + static_cast<ptrdiff_t>(end), true);
  }
  return loads;
}

BlockLines lines_of(const BlockTrace& block, const std::vector<bool>& loads) {
  BlockLines found{block.block, block.block, {}};
  for (const WarpTrace& warp : block.warps)
    for (const TraceAccess& access : warp.accesses) {
      if (access.space != AddressSpace::Global || access.access >= loads.size() || !loads[access.access]) continue;
      for (uint32_t i = access.first_line; i < access.first_line + access.line_count; ++i)
        if (is_sampled(warp.lines[i].number())) found.lines.push_back(warp.lines[i].number());
    }
  std::sort(found.lines.begin(), found.lines.end());
  found.lines.erase(std::unique(found.lines.begin(), found.lines.end()), found.lines.end());
  return found;
}

bool LaunchTrace::uses_objects() const {
  const auto uses = [](const WarpTrace& warp) { return !warp.objects.empty(); };
  return std::ranges::any_of(blocks, [&](const BlockTrace& b) { return std::ranges::any_of(b.warps, uses); });
}

bool LaunchTrace::awaits_writes() const {
  const auto awaits = [](const WarpTrace& warp) { return !warp.awaited.empty(); };
  return std::ranges::any_of(blocks, [&](const BlockTrace& b) { return std::ranges::any_of(b.warps, awaits); });
}

uint64_t digest_of_addresses(const LaunchTrace& trace) {
  std::unordered_map<uint32_t, uint64_t> first;  // by instruction: the line that it touched first
  uint64_t digest = trace.blocks.size();
  const auto mix = [&](uint64_t value) { digest = (digest ^ value) * 0x9e3779b97f4a7c15 ^ digest >> 29; };
  for (const BlockTrace& block : trace.blocks)
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& access : warp.accesses) {
        if (access.is_of_instruction() || access.space == AddressSpace::Const)
          mix(uint64_t{access.units} << 32 | access.access);
        const TraceLine* lines = warp.lines.data() + access.first_line;
        if (access.space == AddressSpace::Local)  // already relative to the warp's own
          for (uint16_t i = 0; i < access.line_count; ++i) mix(lines[i].packed);
        if (access.space != AddressSpace::Global || access.line_count == 0) continue;
        const uint64_t base = first.try_emplace(access.access, lines[0].number()).first->second;
        for (uint16_t i = 0; i < access.line_count; ++i) mix(lines[i].packed - (base << 13));
      }
  return digest;
}

}  // namespace drywarp
