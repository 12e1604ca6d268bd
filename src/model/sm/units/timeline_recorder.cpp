#include "model/sm/units/timeline_recorder.h"

#include <algorithm>

namespace drywarp::sm {

TimelineRecorder::TimelineRecorder(const machine::MachineModel& model, Timeline& timeline)
    : timeline_(timeline), slots_in_use_(model.sms) {
  timeline_ = {};
  timeline_.sms = model.sms, timeline_.schedulers = model.sub_partitions;
  timeline_.channels = model.memory.dram.channels, timeline_.banks = model.memory.dram.banks;
  timeline_.sm = kSm;
}

// The model gives an SM's blocks no slots of their own: a block takes the first one that is free.
uint32_t TimelineRecorder::take_slot(uint32_t sm) {
  std::vector<bool>& in_use = slots_in_use_[sm];
  const auto free = std::ranges::find(in_use, false);
  const auto slot = static_cast<uint32_t>(free - in_use.begin());
  if (free == in_use.end()) in_use.push_back(false);
  in_use[slot] = true;
  return slot;
}

void TimelineRecorder::block_starts(uint32_t place, uint32_t sm, uint64_t block, Cycles now) {
  if (open_blocks_.size() <= place) open_blocks_.resize(place + size_t{1}, kNotRecorded);
  open_blocks_[place] = kNotRecorded;
  if (!blocks_.takes(timeline_.blocks.size(), now)) return;
  open_blocks_[place] = static_cast<uint32_t>(timeline_.blocks.size());
  timeline_.blocks.push_back({sm, take_slot(sm), block, now, kNever});
}

void TimelineRecorder::block_ends(uint32_t place, Cycles now) {
  if (open_blocks_[place] == kNotRecorded) return;
  Timeline::Block& block = timeline_.blocks[open_blocks_[place]];
  block.end = now;
  slots_in_use_[block.sm][block.slot] = false;
}

void TimelineRecorder::warp_starts(const Timeline::Warp& warp) {
  if (open_warps_.size() <= warp.slot) open_warps_.resize(warp.slot + size_t{1});
  OpenWarp& open = open_warps_[warp.slot];
  open = {};
  if (warp.start >= issues_.until) return;
  open = {static_cast<uint32_t>(timeline_.warps.size()), warp.start};
  timeline_.warps.push_back(warp);
  timeline_.warps.back().end = kNever;
}

void TimelineRecorder::warp_ends(uint32_t slot, Cycles now) {
  if (open_warps_[slot].number != kNotRecorded) timeline_.warps[open_warps_[slot].number].end = now;
}

void TimelineRecorder::warp_waits(uint32_t slot, Stall reason, Cycles cycles) {
  OpenWarp& open = open_warps_[slot];
  if (open.number == kNotRecorded || open.known_to >= issues_.until) return;
  std::vector<Timeline::Segment>& segments = timeline_.warps[open.number].segments;
  const Cycles end = open.known_to + cycles;
  if (!segments.empty() && segments.back().end == open.known_to && segments.back().reason == reason)
    segments.back().end = end;
  else
    segments.push_back({open.known_to, end, reason});
  open.known_to = end;
}

void TimelineRecorder::warp_issues(uint32_t slot, uint32_t instruction, Cycles now, bool second) {
  OpenWarp& open = open_warps_[slot];
  if (open.number == kNotRecorded) return;
  open.known_to = now + 1;
  if (issues_.takes(timeline_.issues.size(), now)) timeline_.issues.push_back({now, open.number, instruction, second});
}

void TimelineRecorder::finish_blocks(Cycles end) {
  const Cycles until = timeline_.blocks_until = std::min(end, blocks_.until);
  std::erase_if(timeline_.blocks, [&](const Timeline::Block& b) { return b.start >= until; });
  for (Timeline::Block& b : timeline_.blocks) b.end = std::min(b.end, until);
}

void TimelineRecorder::finish_warps(Cycles end) {
  const Cycles until = timeline_.warps_until = std::min(end, issues_.until);
  std::vector<uint32_t> kept(timeline_.warps.size(), kNotRecorded);
  uint32_t count = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    Timeline::Warp& warp = timeline_.warps[i];
    if (warp.start >= until) continue;
    warp.end = std::min(warp.end, until);
    std::erase_if(warp.segments, [&](const Timeline::Segment& s) { return s.start >= until; });
    if (!warp.segments.empty()) warp.segments.back().end = std::min(warp.segments.back().end, until);
    kept[i] = count++;
    if (kept[i] != i) timeline_.warps[kept[i]] = std::move(warp);
  }
  timeline_.warps.resize(count);
  std::erase_if(timeline_.issues, [&](const Timeline::Issue& i) { return i.cycle >= until; });
  for (Timeline::Issue& issue : timeline_.issues) issue.warp = kept[issue.warp];
  std::ranges::stable_sort(timeline_.issues, {}, &Timeline::Issue::cycle);
}

void TimelineRecorder::finish(Cycles end) {
  timeline_.end = end;
  finish_blocks(end);
  finish_warps(end);
  timeline_.dram_until = std::min(end, dram_.bound.until);
  timeline_.dram = std::move(dram_.accesses);
  std::erase_if(timeline_.dram, [&](const memory::DramAccess& a) { return a.reached >= timeline_.dram_until; });
}

}  // namespace drywarp::sm
