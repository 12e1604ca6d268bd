// What an instruction does to the warp that issued it and to the units that it shares with others.
#include <algorithm>

#include "timing/simulator.h"

namespace drywarp::timing {

namespace {

constexpr uint64_t kLocalBase = uint64_t{1} << 46;    // local memory lies behind all other addresses ...
constexpr uint64_t kLocalWindow = uint64_t{1} << 22;  // ... so far apart for each resident warp

}  // namespace

void Simulator::enqueue(SubPartition& part, Queue queue, Cycles taken_out) {
  auto& ring = part.queue[unsigned(queue)];
  uint32_t& at = part.queue_at[unsigned(queue)];
  ring[at] = taken_out;
  at = at + 1 == ring.size() ? 0 : at + 1;
  part.queue_free[unsigned(queue)] = ring[at];
}

Simulator::Effect Simulator::run_instruction(uint32_t number, uint32_t index, const Decoded& in, Cycles now) {
  SubPartition& part = parts_[number];
  Warp& warp = warps_[index];
  Effect effect;
  effect.result = now + in.latency;
  switch (in.action) {
    case Action::Compute:
      if (in.pipe == machine::Pipe::Lsu) {  // shuffles and the like go through the load-store unit
        const Cycles start = sms_[sm_of(number)].issue_port.take(now, 1 / model_.lsu_instructions_per_cycle);
        enqueue(part, Queue::Shared, start + 1 / model_.lsu_instructions_per_cycle);
        effect.result = start + in.latency;
        sums_.lane_wavefronts += 1;
      }
      if (in.adu) {
        const Cycles start = sms_[sm_of(number)].adu.take(now, model_.adu_interval);
        enqueue(part, Queue::Shared, start + model_.adu_interval);
        effect.result = start + in.latency;
      }
      if (in.variable) effect.waits_for = Stall::ShortScoreboard;
      return effect;
    case Action::Branch:
    case Action::Meeting:
      effect.next = now + model_.branch_latency;
      effect.next_reason = Stall::BranchResolving;
      return effect;
    case Action::Barrier:
      effect.next = arrive(index, now);
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
      return access_memory(number, warp, in, now);
  }
}

Simulator::Effect Simulator::pass_by(uint32_t number, const Decoded& in, Cycles now) {
  Effect effect;
  effect.result = now + in.latency;
  if (in.queue != Queue::Shared) return effect;
  const Cycles cost = 1 / model_.shared_wavefronts_per_cycle;
  enqueue(parts_[number], in.queue, take_shared(sm_of(number), now, cost) + cost);
  return effect;
}

Cycles Simulator::take_shared(uint32_t sm, Cycles now, Cycles cost) {
  const Cycles start = sms_[sm].issue_port.take(now, 1 / model_.lsu_instructions_per_cycle);
  const Cycles turn = sms_[sm].shared.take(start, cost);
  return model_.memory.l1.unified ? std::max(turn, memory_.take_data_pipe(sm, start, cost)) : turn;
}

Simulator::Effect Simulator::access_memory(uint32_t number, Warp& warp, const Decoded& in, Cycles now) {
  SubPartition& part = parts_[number];
  const uint32_t sm = sm_of(number);
  Effect effect;
  effect.result = now + in.latency;
  const TraceAccess* access = warp.cursor.access();
  if (!access) return pass_by(number, in, now);
  effect.waits_for = access->space == TraceSpace::Shared ? Stall::ShortScoreboard : Stall::LongScoreboard;
  if (access->space == TraceSpace::Shared) {
    // Of a merged load each part's words conflict as they did alone, at once or, where wide loads are split, one after
    // the other; it moves no more than the banks' width at a time.
    uint32_t most = access->units, words = 1;
    for (const uint32_t other : in.merged) {
      const TraceAccess* part = other == machine::kNone ? nullptr : warp.cursor.access(other);
      if (!part) continue;
      most = model_.shared_splits ? most + part->units : std::max<uint32_t>(most, part->units);
      ++words;
    }
    const double wavefronts = std::max({most, words / 2, 1u});
    const Cycles cost = wavefronts / model_.shared_wavefronts_per_cycle;
    const Cycles taken = take_shared(sm, now, cost) + cost;
    enqueue(part, in.queue, taken);
    const bool atomic = in.action == Action::SharedAtomic || in.action == Action::Atomic;
    effect.result = taken - 1 / model_.shared_wavefronts_per_cycle +
                    (atomic ? model_.shared_atomic_latency : model_.shared_latency);
    return effect;
  }
  const Cycles start = sms_[sm].issue_port.take(now, 1 / model_.lsu_instructions_per_cycle);
  std::span<const TraceLine> lines = warp.cursor.lines(*access);
  if (access->space == TraceSpace::Local) {
    const uint64_t base = kLocalBase + (uint64_t{sm} * model_.max_warps_per_sm + warp.slot) * kLocalWindow;
    local_lines_.clear();
    for (const TraceLine& l : lines)
      local_lines_.push_back(TraceLine::of(base + l.address(), l.sectors(), l.parts(), l.part_bytes()));
    lines = local_lines_;
  }
  memsys::Response response;
  switch (in.action) {
    case Action::Store:
    case Action::LocalStore:
      response = memory_.store(sm, lines, access->units, start, warp.slot);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      warp.stores_sent = std::max(warp.stores_sent, response.sent);
      break;
    case Action::Atomic:
      response = memory_.atomic(sm, lines, in.one_lane && access->ideal_units == 1 ? 1 : access->lanes, start);
      warp.stores_done = std::max(warp.stores_done, response.ready);
      break;
    default:
      response = memory_.load(sm, lines, access->units, in.past_l1, start);
      break;
  }
  if (in.action == Action::Copy) warp.copies_done = std::max(warp.copies_done, response.ready);
  enqueue(part, in.queue, response.accepted);
  effect.result = response.ready;
  return effect;
}

Cycles Simulator::arrive(uint32_t index, Cycles now) {
  Warp& warp = warps_[index];
  ResidentBlock& block = blocks_[warp.block];
  const TraceAccess* record = warp.cursor.barrier();
  if (model_.adu_interval > 0) now = sms_[block.sm].adu.take(now, model_.adu_interval);
  const uint32_t number = record ? record->units % block.barriers.size() : 0;
  auto& barrier = block.barriers[number];
  barrier.expected = record ? (record->ideal_units + kWarpSize - 1u) / kWarpSize : 0;
  ++barrier.arrived;
  if (barrier.arrived >= (barrier.expected != 0 ? barrier.expected : block.warps_left))
    return complete(block, number, now);
  barrier.waiting.push_back(index);
  warp.waits = true;
  return now + 1;  // complete() will say when
}

Cycles Simulator::complete(ResidentBlock& block, uint32_t number, Cycles now) {
  auto& barrier = block.barriers[number];
  // Warps go on one after the other, in the order in which they came.
  Cycles open = now + model_.barrier_latency;
  std::vector<uint32_t> waiting;
  waiting.swap(barrier.waiting);
  barrier.arrived = 0;
  for (const uint32_t index : waiting) {
    warps_[index].waits = false;
    make_ready(index, open, Stall::Barrier);
    open += model_.barrier_warp_cycles;
  }
  for (uint32_t p = 0; p < model_.sub_partitions; ++p) wake(block.sm * model_.sub_partitions + p);
  return open;
}

}  // namespace drywarp::timing
