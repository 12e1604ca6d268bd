// The effects of an instruction on its warp and on shared units.
#include <algorithm>
#include <utility>

#include "model/sm/units/simulator.h"

namespace drywarp::sm {

void Simulator::queue_for_adu(SubPartition& part, Cycles taken_out) {
  part.adu_queue[part.adu_at] = taken_out;
  part.adu_at = part.adu_at + 1 == part.adu_queue.size() ? 0 : part.adu_at + 1;
  Cycles& room = part.queue_free[unsigned(Queue::Shared)];
  room = std::max(room, part.adu_queue[part.adu_at]);
}

Simulator::Effect Simulator::run_instruction(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  SubPartition& part = parts_[number];
  Warp& warp = warps_[index];
  Effect effect;
  effect.result = now + in.latency;
  switch (in.action) {
    case Action::Compute:
      if (in.pipe == machine::Pipe::Lsu) return submit(number, index, in, now);  // shuffles and the like
      if (in.adu) {
        Sm& sm = sms_[sm_of(number)];
        const Cycles start = sm.adu.take(now, model_.adu_interval);
        // A constant that misses blocks the instructions behind it.
        const Cycles ready = fetch_constants(number, in, start);
        sm.adu.hold(ready);
        queue_for_adu(part, std::max(start + model_.adu_interval, ready));
        effect.result = std::max(start + in.latency, ready);
      }
      if (in.variable) effect.stall_reason = Stall::ShortScoreboard;
      return effect;
    case Action::Branch:
    case Action::Reconverge:
      effect.next = now + model_.branch_latency;
      effect.next_reason = Stall::BranchResolving;
      return effect;
    case Action::Barrier:
      effect.next = arrive_at_barrier(index, now);
      effect.next_reason = Stall::Barrier;
      return effect;
    case Action::Fence:
      effect.next = std::max(now + in.latency, warp.stores_done);
      effect.next_reason = Stall::Membar;
      return effect;
    case Action::CopyWait:
      effect.next = std::max(now + in.latency, warp.copies_done);
      effect.next_reason = Stall::LongScoreboard;
      return effect;
    case Action::Exit:
    case Action::Sleep:
      return effect;
    default:
      return submit(number, index, in, now);
  }
}

Cycles Simulator::arrive_at_barrier(uint32_t index, Cycles now) {
  Warp& warp = warps_[index];
  ResidentBlock& block = blocks_[warp.block];
  const TraceAccess* record = warp.cursor.barrier();
  if (model_.adu_interval > 0) now = sms_[block.sm].adu.take(now, model_.adu_interval);
  const uint32_t number = record ? record->units % block.barriers.size() : 0;
  auto& barrier = block.barriers[number];
  barrier.expected = record ? (record->ideal_units + kWarpSize - 1u) / kWarpSize : 0;
  ++barrier.arrived;
  if (barrier.arrived >= (barrier.expected != 0 ? barrier.expected : block.warps_left))
    return complete_barrier(block, number, now);
  barrier.waiting.push_back(index);
  warp.waits = true;
  return now + 1;  // complete_barrier() sets the real time
}

Cycles Simulator::complete_barrier(ResidentBlock& block, uint32_t number, Cycles now) {
  auto& barrier = block.barriers[number];
  if (std::exchange(block.reached_memory, false) && model_.barrier_wavefronts > 0) {
    const Cycles cost = model_.barrier_wavefronts / model_.shared_wavefronts_per_cycle;
    sms_[block.sm].shared.take(now, cost / 2);
    if (model_.memory.l1.unified) memory_.take_data_pipe(block.sm, now, cost);
  }
  // Warps continue one after the other, in the order of their arrival.
  Cycles open = now + model_.barrier_latency;
  released_.clear();
  released_.swap(barrier.waiting);
  barrier.arrived = 0;
  for (const uint32_t index : released_) {
    warps_[index].waits = false;
    make_ready(index, open, Stall::Barrier);
    open += model_.barrier_warp_cycles;
  }
  for (uint32_t p = 0; p < model_.sub_partitions; ++p) wake(block.sm * model_.sub_partitions + p);
  return open;
}

}  // namespace drywarp::sm
