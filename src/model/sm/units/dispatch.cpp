#include "model/sm/units/dispatch.h"

#include <algorithm>

namespace drywarp::sm {

uint32_t BlockDispatch::place_block() {
  if (free_blocks_.empty()) {
    s.blocks.emplace_back();
    return static_cast<uint32_t>(s.blocks.size() - 1);
  }
  const uint32_t place = free_blocks_.back();
  free_blocks_.pop_back();
  return place;
}

uint32_t BlockDispatch::place_warp() {
  if (free_warps_.empty()) {
    s.warps.emplace_back();
    s.registers.resize(s.warps.size() * s.code.scoreboard_lines);
    return static_cast<uint32_t>(s.warps.size() - 1);
  }
  const uint32_t place = free_warps_.back();
  free_warps_.pop_back();
  return place;
}

// Warps go to the sub-partitions in turn, from block to block, as long as those have room. Behind a block that ends
// with the last of them, the next block begins one further: so an H200 places blocks of 1 to 12 warps.
uint32_t BlockDispatch::next_part(Sm& sm, uint32_t number, uint32_t warps_per_block) {
  const uint32_t parts = s.model.sub_partitions;
  const uint32_t room = (s.launch.blocks_per_sm * warps_per_block + parts - 1) / parts;
  for (uint32_t tried = 0;; ++tried) {
    const uint32_t part = number * parts + sm.next_part++ % parts;
    if (tried == parts || s.parts[part].warps.size() < room) return part;
  }
}

// The first wave: one block to each SM in turn, until all are full or none is left. All SMs start at the same time,
// before the kernel's first line of code arrives, so only later blocks of an SM start visibly later.
void BlockDispatch::start_first() {
  for (Sm& sm : s.sms) sm.next_block = s.model.launch_cycles - s.model.first_code_cycles;
  for (uint32_t round = 0; round < s.launch.blocks_per_sm; ++round)
    for (uint32_t sm = 0; sm < s.model.sms; ++sm)
      if (!start_block(sm, 0)) return;
}

bool BlockDispatch::start_block(uint32_t number, Cycles now) {
  if (next_block_ >= s.launch.simulated) return false;
  const BlockTrace& trace = s.trace.blocks[next_block_++];
  Sm& sm = s.sms[number];
  now = std::max(now, sm.next_block);
  sm.next_block = now + s.model.block_interval_cycles;
  block_starts_.push_back(now);
  const uint32_t slot = place_block();
  ResidentBlock& block = s.blocks[slot];
  block.sm = number;
  block.warps = block.warps_left = static_cast<uint32_t>(trace.warps.size());
  block.end = now;
  block.objects.clear(), block.swapped.clear(), ++block.serial;
  if (s.recorder) s.recorder->block_starts(slot, number, trace.block, now);
  for (auto& barrier : block.barriers) barrier.arrived = barrier.expected = 0, barrier.waiting.clear();
  if (sm.resident++ == 0) sm.active_since = now;
  for (uint32_t w = 0; w < trace.warps.size(); ++w) {
    const uint32_t index = place_warp();
    Warp& warp = s.warps[index];
    const uint32_t serial = warp.serial + 1;
    warp = {};
    warp.serial = serial;
    std::fill_n(s.registers_of(index), s.code.scoreboard_lines, RegisterLine{});
    warp.cursor = WarpCursor(s.code, trace.warps[w]);
    polls_.start(index, trace, w);
    warp.block = slot;
    warp.slot = sm.free_slots.back();
    sm.free_slots.pop_back();
    const uint32_t part = next_part(sm, number, static_cast<uint32_t>(trace.warps.size()));
    const Cycles start = now + s.model.warp_interval_cycles * w;
    warp.last_issue = start - 1;
    warp.part = part;
    warp.place = s.parts[part].warps.size();
    if (warp.place == 0) s.parts[part].active_since = now;
    s.parts[part].warps.add(index, static_cast<uint32_t>(next_block_));
    if (part < s.recorded_parts)
      s.recorder->warp_starts({part % s.model.sub_partitions, warp.slot, trace.block, w, start, 0, {}});
    if (warp.cursor.current()) {
      Stall reason = Stall::NoInstruction;
      const Cycles ready =
          fetch_.next(part, *warp.cursor.current(), nullptr, std::max(start, s.model.launch_cycles), reason);
      make_ready(s, index, ready, reason);
    } else {
      end_warp(index, start);
    }
  }
  if (trace.warps.size() % s.model.sub_partitions == 0) ++sm.next_part;
  for (uint32_t p = 0; p < s.model.sub_partitions; ++p) wake(s, number * s.model.sub_partitions + p);
  return true;
}

void BlockDispatch::end_warp(uint32_t index, Cycles now) {
  Warp& warp = s.warps[index];
  polls_.end(index, now);
  ResidentBlock& block = s.blocks[warp.block];
  Sm& sm = s.sms[block.sm];
  sm.free_slots.push_back(warp.slot);
  if (warp.part < s.recorded_parts) s.recorder->warp_ends(warp.slot, now + 1);
  SubPartition& part = s.parts[warp.part];
  Candidates& others = part.warps;
  others.remove(warp.place);
  if (others.size() == 0) part.active += now + 1 - part.active_since;
  for (uint32_t place = warp.place; place < others.size(); ++place) s.warps[others[place].warp].place = place;
  free_warps_.push_back(index);
  block.end = std::max(block.end, now + 1);
  s.end = std::max({s.end, now + 1, warp.stores_done});
  barriers_.leave(block, now);
  if (block.warps_left != 0) return;
  const uint32_t number = block.sm;
  free_blocks_.push_back(warp.block);
  if (s.recorder) s.recorder->block_ends(warp.block, block.end);
  if (--sm.resident == 0) sm.active += block.end - sm.active_since;
  // The device processes ends of blocks one after the other. This, and not the first wave, limits small blocks.
  const Cycles done = dispatcher_.take(block.end, s.model.dispatch_cycles);
  s.end = std::max(s.end, done);
  start_block(number, done + s.model.block_launch_cycles);
}

}  // namespace drywarp::sm
