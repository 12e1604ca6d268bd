#include "model/sm/units/cursor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace drywarp::sm {

WarpCursor::WarpCursor(const DecodedKernel& kernel, const WarpTrace& trace)
    : access_count_(static_cast<uint32_t>(trace.accesses.size())),
      accesses_(trace.accesses.data()),
      lines_(trace.lines.data()),
      objects_(trace.objects),
      kernel_(&kernel),
      steps_(trace.steps.data()),
      step_count_(static_cast<uint32_t>(trace.steps.size())) {
  enter();
}

// Whether the trace continues along this block's path. Sets the position behind it.
bool WarpCursor::matches(const DecodedBlock& block) {
  if (block.path_steps > machine::kLongestPath) return false;
  uint32_t step = step_, done = done_, count = 0;
  uint64_t shown = 0;
  for (uint32_t i = 0; i < block.path_steps; ++i) {
    const machine::PathStep& want = kernel_->paths[block.path + i];
    if (step < step_count_ && steps_[step].block == want.block) {
      shown |= uint64_t{1} << i;
      ++count;
      if (++done == steps_[step].repeats) ++step, done = 0;
    } else if (!want.optional) {
      return false;
    }
  }
  shown_ = shown;
  path_steps_ = count;
  next_step_ = step, next_done_ = done;
  return true;
}

void WarpCursor::enter() {
  for (;;) {
    if (step_ >= step_count_) {
      at_ = end_ = nullptr;
      return;
    }
    const WarpStep& step = steps_[step_];
    const DecodedBlock* found = nullptr;
    if (step.block + 1 < kernel_->starting_at.size())
      for (uint32_t b = kernel_->starting_at[step.block]; b != kernel_->starting_at[step.block + 1] && !found; ++b)
        if (matches(kernel_->blocks[b])) found = &kernel_->blocks[b];
    if (!found) {  // no code (a really called function, which is not lowered): it costs nothing
      if (++done_ == step.repeats) ++step_, done_ = 0;
      ++executed_;
      continue;
    }
    if (found->first != found->end) {
      if (found->copies == 0)
        loop_step_ = kNowhere;
      else if (loop_step_ == kNowhere && done_ == 0)
        loop_step_ = step_;
      return begin(*found, step.lanes);
    }
    // An empty block is skipped.
    executed_ += path_steps_;
    step_ = next_step_, done_ = next_done_;
  }
}

void WarpCursor::begin(const DecodedBlock& block, LaneMask lanes) {
  at_ = begin_ = kernel_->code.data() + block.first;
  end_ = kernel_->code.data() + block.end;
  diverged_ = mask_ != 0 && (mask_ & lanes) == 0;
  if (mask_ != lanes) mask_ = lanes, lanes_ = static_cast<unsigned>(std::popcount(mask_));
}

void WarpCursor::note_copies_owed() {
  const uint32_t block = steps_[loop_step_].block;
  // It goes on, with the lanes that it has or fewer.
  if (step_ < step_count_ && steps_[step_].block == block &&
      (done_ != 0 || (steps_[step_].lanes & ~steps_[step_ - 1].lanes) == 0))
    return;
  const uint32_t first = std::exchange(loop_step_, kNowhere);
  if (step_ - first < 2) return;
  std::array<uint32_t, kWarpSize> left{};  // iterations of each lane that no copy has done yet
  uint32_t in_trace = 0;
  for (uint32_t s = first; s < step_; ++s) {
    in_trace += steps_[s].repeats;
    for (LaneMask lanes = steps_[s].lanes; lanes != 0; lanes &= lanes - 1)
      left[static_cast<unsigned>(std::countr_zero(lanes))] += steps_[s].repeats;
  }
  for (uint32_t b = kernel_->starting_at[block]; b != kernel_->starting_at[block + 1]; ++b) {
    const DecodedBlock& copy = kernel_->blocks[b];
    if (copy.copies == 0) continue;
    for (uint32_t done = 0;; ++done) {
      LaneMask lanes = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane)
        if (left[lane] / copy.copies > done) lanes |= LaneMask{1} << lane;
      if (lanes == 0) break;
      if (done >= in_trace / copy.copies) owed_.push_back({&copy, lanes});
    }
    for (uint32_t& of_lane : left) of_lane %= copy.copies;
    in_trace %= copy.copies;
  }
  std::ranges::reverse(owed_);
}

// Its accesses are taken to be those of the last iterations.
bool WarpCursor::run_copy_owed() {
  if (owed_.empty()) return false;
  const Copy copy = owed_.back();
  owed_.pop_back();
  path_steps_ = copy.block->path_steps;
  executed_ -= path_steps_;
  while (access_ > 0 && accesses_[access_ - 1].step >= executed_) --access_;
  shown_ = ~uint64_t{0};
  next_step_ = step_, next_done_ = done_;
  begin(*copy.block, copy.lanes);
  return true;
}

void WarpCursor::next() {
  diverged_ = false;
  while (++at_ != end_)
    if (at_->acts_in != machine::ActsIn::WholeWarps || is_whole()) return;
  executed_ += path_steps_;
  step_ = next_step_, done_ = next_done_;
  while (access_ < access_count_ && accesses_[access_].step < executed_) ++access_;
  while (object_ < objects_.size() && objects_[object_].step < executed_) ++object_;
  if (loop_step_ != kNowhere) note_copies_owed();
  if (run_copy_owed()) return;
  enter();
}

std::optional<uint32_t> WarpCursor::step_of(uint32_t at) const {
  if (at >= machine::kLongestPath || (shown_ >> at & 1) == 0) return std::nullopt;
  const uint64_t all = (uint64_t{1} << at) - 1, before = shown_ & all;
  return executed_ + (before == all ? at : static_cast<uint32_t>(std::popcount(before)));
}

std::span<const ObjectUse> WarpCursor::objects() const {
  const auto step = step_of(at_->step);
  if (!step) return {};
  size_t first = object_;
  while (first < objects_.size() &&
         (objects_[first].step < *step || (objects_[first].step == *step && objects_[first].instruction != at_->ptx)))
    ++first;
  size_t end = first;
  while (end < objects_.size() && objects_[end].step == *step && objects_[end].instruction == at_->ptx) ++end;
  return objects_.subspan(first, end - first);
}

template <typename Is>
const TraceAccess* WarpCursor::find(uint32_t place, uint32_t at, Is is) const {
  const auto wanted = step_of(at);
  if (!wanted) return nullptr;
  const uint32_t step = *wanted;
  if (const uint32_t i = access_ + place; i < access_count_ && accesses_[i].step == step && is(accesses_[i]))
    return &accesses_[i];
  for (uint32_t i = access_; i < access_count_ && accesses_[i].step <= step; ++i)
    if (accesses_[i].step == step && is(accesses_[i])) return &accesses_[i];
  return nullptr;
}

const TraceAccess* WarpCursor::access(uint32_t number, uint32_t place, uint32_t step) const {
  if (number == machine::kNone) return nullptr;
  return find(place, step, [&](const TraceAccess& a) { return a.access == number && a.space != AddressSpace::None; });
}

const TraceAccess* WarpCursor::later_access(uint32_t number) const {
  for (uint32_t i = access_; i < access_count_; ++i)
    if (accesses_[i].access == number && accesses_[i].space != AddressSpace::None) return &accesses_[i];
  return nullptr;
}

const TraceAccess* WarpCursor::barrier() const {
  return find(0, at_->step, [](const TraceAccess& a) { return a.is_barrier(); });
}

// The next step that these lanes take part in decides: others come if lanes that ran in between take part in it, too.
bool WarpCursor::other_lanes_come() const {
  if (is_whole()) return false;
  uint32_t step = step_, done = done_;
  for (uint32_t i = 0; i <= at_->step; ++i)
    if ((shown_ >> i & 1) != 0 && ++done == steps_[step].repeats) ++step, done = 0;
  for (LaneMask others = 0; step < step_count_; others |= steps_[step++].lanes)
    if ((steps_[step].lanes & mask_) != 0) return (steps_[step].lanes & others) != 0;
  return false;
}

const TraceAccess* WarpCursor::of_instruction() const {
  return find(0, at_->step, [&](const TraceAccess& a) { return a.is_of_instruction() && a.access == at_->ptx; });
}

}  // namespace drywarp::sm
