// Block dispatch: starts and ends blocks on SMs.
#include <algorithm>

#include "model/sm/units/simulator.h"

namespace drywarp::sm {

// The first wave: one block to each SM in turn, until all are full or none is left. All SMs start at the same time,
// before the kernel's first line of code arrives, so only later blocks of an SM start visibly later.
void Simulator::dispatch_first() {
  for (Sm& sm : sms_) sm.next_block = model_.launch_cycles - model_.first_code_cycles;
  for (uint32_t round = 0; round < launch_.blocks_per_sm; ++round)
    for (uint32_t sm = 0; sm < model_.sms; ++sm)
      if (!start_block(sm, 0)) return;
}

bool Simulator::start_block(uint32_t number, Cycles now) {
  if (next_block_ >= launch_.simulated) return false;
  const BlockTrace& trace = trace_.blocks[next_block_++];
  Sm& sm = sms_[number];
  now = std::max(now, sm.next_block);
  sm.next_block = now + model_.block_interval_cycles;
  block_starts_.push_back(now);
  uint32_t slot = 0;
  if (free_blocks_.empty()) {
    slot = static_cast<uint32_t>(blocks_.size());
    blocks_.emplace_back();
  } else {
    slot = free_blocks_.back();
    free_blocks_.pop_back();
  }
  ResidentBlock& block = blocks_[slot];
  block.sm = number;
  block.warps = block.warps_left = static_cast<uint32_t>(trace.warps.size());
  block.end = now;
  for (auto& barrier : block.barriers) barrier.arrived = barrier.expected = 0, barrier.waiting.clear();
  if (sm.resident++ == 0) sm.active_since = now;
  for (uint32_t w = 0; w < trace.warps.size(); ++w) {
    uint32_t index = 0;
    if (free_warps_.empty()) {
      index = static_cast<uint32_t>(warps_.size());
      warps_.emplace_back();
      registers_.resize(warps_.size() * code_.scoreboard_lines);
    } else {
      index = free_warps_.back();
      free_warps_.pop_back();
    }
    Warp& warp = warps_[index];
    const uint32_t serial = warp.serial + 1;
    warp = {};
    warp.serial = serial;
    std::fill_n(registers_of(index), code_.scoreboard_lines, RegisterLine{});
    warp.cursor = WarpCursor(code_, trace.warps[w]);
    warp.block = slot;
    warp.slot = sm.free_slots.back();
    sm.free_slots.pop_back();
    // Warps of a block go to the sub-partitions in turn. The next block begins with the next sub-partition.
    const uint32_t part = number * model_.sub_partitions + (sm.blocks + w) % model_.sub_partitions;
    const Cycles start = now + model_.warp_interval_cycles * w;
    warp.last_issue = start - 1;
    warp.part = part;
    warp.place = parts_[part].warps.size();
    parts_[part].warps.add(index, static_cast<uint32_t>(next_block_));
    if (warp.cursor.current()) {
      Stall reason = Stall::NoInstruction;
      const Cycles ready =
          fetch_next(part, *warp.cursor.current(), nullptr, std::max(start, model_.launch_cycles), reason);
      make_ready(index, ready, reason);
    } else {
      end_warp(index, start);
    }
  }
  ++sm.blocks;
  for (uint32_t p = 0; p < model_.sub_partitions; ++p) wake(number * model_.sub_partitions + p);
  return true;
}

void Simulator::end_warp(uint32_t index, Cycles now) {
  Warp& warp = warps_[index];
  ResidentBlock& block = blocks_[warp.block];
  Sm& sm = sms_[block.sm];
  sm.free_slots.push_back(warp.slot);
  Candidates& others = parts_[warp.part].warps;
  others.remove(warp.place);
  for (uint32_t place = warp.place; place < others.size(); ++place) warps_[others[place].warp].place = place;
  free_warps_.push_back(index);
  block.end = std::max(block.end, now + 1);
  end_ = std::max({end_, now + 1, warp.stores_done});
  // Barriers no longer wait for this warp.
  --block.warps_left;
  for (uint32_t b = 0; b < block.barriers.size(); ++b) {
    const auto& barrier = block.barriers[b];
    if (!barrier.waiting.empty() && barrier.expected == 0 && barrier.arrived >= block.warps_left)
      complete_barrier(block, b, now);
  }
  if (block.warps_left != 0) return;
  const uint32_t number = block.sm;
  free_blocks_.push_back(warp.block);
  if (--sm.resident == 0) sm.active += block.end - sm.active_since;
  // The device processes ends of blocks one after the other. This, and not the first wave, limits small blocks.
  const Cycles done = dispatcher_.take(block.end, model_.dispatch_cycles);
  end_ = std::max(end_, done);
  start_block(number, done + model_.block_launch_cycles);
}

}  // namespace drywarp::sm
