#include "model/memory/held_lines.h"

#include <algorithm>
#include <bit>

#include "base/access/access_pattern.h"

namespace drywarp::memory {

HeldLines::HeldLines(const L2Parameters& l2) : capacity_(l2.bytes / kLineBytes / std::max(l2.partitions, 1u)) {}

std::vector<uint64_t> HeldLines::touched(const LaunchTrace& trace) {
  std::unordered_map<uint64_t, uint32_t> blocks;
  for (const BlockTrace& block : trace.blocks)
    for (const WarpTrace& warp : block.warps)
      for (const TraceAccess& access : warp.accesses) {
        if (access.space != AddressSpace::Global || access.access == ~0u) continue;
        for (uint32_t i = 0; i < access.line_count; ++i) {
          const uint64_t line = warp.lines[access.first_line + i].number();
          blocks[line / kBlockLines] |= 1u << line % kBlockLines;
        }
      }
  std::vector<std::pair<uint64_t, uint32_t>> sorted(blocks.begin(), blocks.end());
  std::ranges::sort(sorted);
  std::vector<uint64_t> lines;
  for (const auto& [block, mask] : sorted)
    for (uint32_t left = mask; left != 0; left &= left - 1)
      lines.push_back(block * kBlockLines + static_cast<unsigned>(std::countr_zero(left)));
  return lines;
}

std::vector<uint64_t> HeldLines::find(const std::vector<uint64_t>& lines) const {
  std::vector<uint64_t> out;
  for (const uint64_t line : lines) {
    const auto block = blocks_.find(line / kBlockLines);
    if (block != blocks_.end() && (block->second.held >> line % kBlockLines & 1) != 0) out.push_back(line);
  }
  return out;
}

void HeldLines::touch(uint64_t number, uint32_t lines) {
  const auto [found, is_new] = blocks_.try_emplace(number);
  Block& block = found->second;
  if (is_new)
    block.place = order_.insert(order_.begin(), number);
  else
    order_.splice(order_.begin(), order_, block.place);
  lines_ += static_cast<uint64_t>(std::popcount(lines & ~block.held));
  block.held |= lines;
  while (lines_ > capacity_) {
    const auto last = blocks_.find(order_.back());
    lines_ -= static_cast<uint64_t>(std::popcount(last->second.held));
    blocks_.erase(last);
    order_.pop_back();
  }
}

void HeldLines::touch(const std::vector<uint64_t>& lines) {
  for (size_t i = 0; i < lines.size();) {
    const uint64_t block = lines[i] / kBlockLines;
    uint32_t held = 0;
    for (; i < lines.size() && lines[i] / kBlockLines == block; ++i) held |= 1u << lines[i] % kBlockLines;
    touch(block, held);
  }
}

void HeldLines::write(uint64_t address, uint64_t bytes) {
  if (bytes == 0) return;
  // Of what does not fit, the end stays.
  const uint64_t end = (address + bytes - 1) / kLineBytes + 1;
  uint64_t line = std::max(address / kLineBytes, end - std::min(end, capacity_ + kBlockLines));
  while (line < end) {
    const uint64_t block = line / kBlockLines, next = std::min(end, (block + 1) * kBlockLines);
    touch(block, static_cast<uint32_t>(((uint64_t{1} << (next - line)) - 1) << line % kBlockLines));
    line = next;
  }
}

}  // namespace drywarp::memory
