// The warps of a launch in blocks of another size.
#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {

void renumber_samples(LaunchTrace& trace, uint32_t before, uint32_t after) {
  if (!trace.rows.all()) trace.rows = {};  // those of some SMs are taken as blocks in turn
  for (BlockLines& sample : trace.sample_blocks) {
    sample.block = sample.block * before / after;
    if (sample.place != BlockLines::kOther) sample.place = sample.place * before / after;
  }
}

// The kernel's threads know themselves by their number in the grid alone: a warp does the same in any block.
bool regroup(TimedLaunch& l, uint32_t threads_per_block) {
  constexpr uint32_t kWarp = 32;
  const uint32_t before = l.launch.threads_per_block;
  if (l.trace.uses_objects()) return false;   // those of a block
  if (l.trace.awaits_writes()) return false;  // named by their blocks
  if (before % kWarp != 0 || threads_per_block % kWarp != 0 || before == threads_per_block) return false;
  const uint64_t threads = l.launch.blocks * before;
  const bool recorded_all = l.trace.blocks.size() == l.launch.blocks;
  std::vector<WarpTrace> warps;
  for (BlockTrace& block : l.trace.blocks) std::ranges::move(block.warps, std::back_inserter(warps));
  const uint32_t each = threads_per_block / kWarp;
  std::vector<BlockTrace> blocks;
  for (size_t first = 0; first < warps.size(); first += each) {
    const size_t end = std::min(first + each, warps.size());
    if (end - first < each && !recorded_all) break;  // a block is recorded as a whole or not at all
    BlockTrace& block = blocks.emplace_back();
    block.block = blocks.size() - 1;
    std::move(warps.begin() + ptrdiff_t(first), warps.begin() + ptrdiff_t(end), std::back_inserter(block.warps));
  }
  if (blocks.empty()) return false;
  l.trace.blocks = std::move(blocks);
  l.launch.threads_per_block = threads_per_block;
  l.launch.blocks = l.trace.blocks_in_grid = (threads + threads_per_block - 1) / threads_per_block;
  renumber_samples(l.trace, before, threads_per_block);
  return true;
}

}  // namespace drywarp::whatif
