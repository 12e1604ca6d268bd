#include "model/sm/units/barriers.h"

#include <utility>

namespace drywarp::sm {

void BarrierUnits::release_all() {
  for (ResidentBlock& block : s.blocks) {
    if (block.warps_left == 0) continue;
    for (uint32_t b = 0; b < block.barriers.size(); ++b)
      if (!block.barriers[b].waiting.empty()) complete(block, b, s.now);
  }
}

Cycles BarrierUnits::arrive(uint32_t index, Cycles now) {
  Warp& warp = s.warps[index];
  ResidentBlock& block = s.blocks[warp.block];
  const TraceAccess* record = warp.cursor.barrier();
  if (s.model.adu_interval > 0) now = s.sms[block.sm].adu.take(now, s.model.adu_interval);
  const uint32_t number = record ? record->units % block.barriers.size() : 0;
  auto& barrier = block.barriers[number];
  barrier.expected = record ? (record->ideal_units + kWarpSize - 1u) / kWarpSize : 0;
  ++barrier.arrived;
  if (barrier.arrived >= (barrier.expected != 0 ? barrier.expected : block.warps_left))
    return complete(block, number, now);
  barrier.waiting.push_back(index);
  warp.waits = true;
  return now + 1;  // complete() sets the real time
}

Cycles BarrierUnits::complete(ResidentBlock& block, uint32_t number, Cycles now) {
  auto& barrier = block.barriers[number];
  if (std::exchange(block.reached_memory, false) && s.model.barrier_wavefronts > 0) {
    const Cycles cost = s.model.barrier_wavefronts / s.model.shared_wavefronts_per_cycle;
    s.sms[block.sm].shared.take(now, cost / 2);
    if (s.model.memory.l1.unified) s.memory.take_data_pipe(block.sm, now, cost);
  }
  // Warps continue one after the other, in the order of their arrival.
  Cycles open = now + s.model.barrier_latency;
  released_.clear();
  released_.swap(barrier.waiting);
  barrier.arrived = 0;
  for (const uint32_t index : released_) {
    s.warps[index].waits = false;
    make_ready(s, index, open, Stall::Barrier);
    open += s.model.barrier_warp_cycles;
  }
  for (uint32_t p = 0; p < s.model.sub_partitions; ++p) wake(s, block.sm * s.model.sub_partitions + p);
  return open;
}

void BarrierUnits::leave(ResidentBlock& block, Cycles now) {
  --block.warps_left;
  for (uint32_t b = 0; b < block.barriers.size(); ++b) {
    const auto& barrier = block.barriers[b];
    if (!barrier.waiting.empty() && barrier.expected == 0 && barrier.arrived >= block.warps_left)
      complete(block, b, now);
  }
}

}  // namespace drywarp::sm
