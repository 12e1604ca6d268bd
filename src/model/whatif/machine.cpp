// Machines without one of their limits.
#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr double kWithoutLimit = 1e9;  // bytes, lines or wavefronts a cycle

uint32_t warps_per_block(const TimedLaunch& l) { return std::max((l.launch.threads_per_block + 31) / 32, 1u); }

uint32_t most_blocks(const TimedLaunch& l) {
  return std::max(std::min(l.model.max_warps_per_sm / warps_per_block(l), l.model.max_blocks_per_sm), 1u);
}

bool set_blocks(TimedLaunch& l, uint32_t blocks) {
  if (blocks <= l.launch.blocks_per_sm) return false;
  l.launch.blocks_per_sm = blocks;
  return true;
}

bool uses_dram_path(const TimedLaunch& l) {
  return accesses(l.trace, AddressSpace::Global) || accesses(l.trace, AddressSpace::Local);
}

}  // namespace

bool accesses(const LaunchTrace& trace, AddressSpace space) {
  for (const BlockTrace& block : trace.blocks)
    for (const WarpTrace& warp : block.warps)
      if (std::any_of(warp.accesses.begin(), warp.accesses.end(),
                      [&](const TraceAccess& a) { return a.space == space; }))
        return true;
  return false;
}

bool fill_sms(TimedLaunch& l, const KernelInfo&) { return set_blocks(l, most_blocks(l)); }

bool add_block(TimedLaunch& l, const KernelInfo&) {
  return set_blocks(l, std::min(l.launch.blocks_per_sm + 1, most_blocks(l)));
}

// Blocks are resident as a whole.
bool add_warps(TimedLaunch& l, MoreWarps more) {
  const uint32_t each = warps_per_block(l);
  return set_blocks(l, std::min(l.launch.blocks_per_sm + (more.warps + each - 1) / each, most_blocks(l)));
}

bool fill_warp_slots(TimedLaunch& l, const KernelInfo&) {
  if (l.launch.blocks_per_sm < l.model.max_blocks_per_sm) return false;
  return set_blocks(l, l.model.max_warps_per_sm / warps_per_block(l));
}

bool hit_l1(TimedLaunch& l, const KernelInfo&) {
  l.model.memory.l1.always_hits = true;
  return uses_dram_path(l);
}

bool hit_l2(TimedLaunch& l, const KernelInfo&) {
  l.model.memory.l2.always_hits = true;
  return uses_dram_path(l);
}

bool free_shared(TimedLaunch& l, const KernelInfo&) {
  l.model.shared_wavefronts_per_cycle = kWithoutLimit;
  l.model.shared_conflict_cycles = l.model.shared_transaction_cycles = 0;
  return accesses(l.trace, AddressSpace::Shared);
}

bool free_l1(TimedLaunch& l, const KernelInfo&) {
  memory::L1Parameters& l1 = l.model.memory.l1;
  l1.lines_per_cycle = l1.bytes_per_cycle = l1.fill_bytes_per_cycle = l1.store_bytes_per_cycle = kWithoutLimit;
  l1.fill_lines_per_cycle = 0;
  return uses_dram_path(l);
}

bool free_l2(TimedLaunch& l, const KernelInfo&) {
  memory::L2Parameters& l2 = l.model.memory.l2;
  l2.bytes_per_cycle = l2.write_bytes_per_cycle = kWithoutLimit;
  l2.fabric_bytes_per_cycle = l2.lines_per_cycle = 0;
  return uses_dram_path(l);
}

bool free_dram(TimedLaunch& l, const KernelInfo&) {
  memory::DramParameters& dram = l.model.memory.dram;
  dram.bytes_per_cycle = kWithoutLimit;
  dram.activate = dram.precharge = dram.row_cycle = dram.turnaround = dram.refresh = dram.refresh_share = 0;
  dram.write_batch = dram.refresh_interval = 0;
  return uses_dram_path(l);
}

}  // namespace drywarp::whatif
