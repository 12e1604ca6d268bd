#include "timing/cursor.h"

#include <bit>

namespace drywarp::timing {

WarpCursor::WarpCursor(const DecodedKernel& kernel, const WarpTrace& trace)
    : kernel_(&kernel),
      steps_(trace.steps.data()),
      accesses_(trace.accesses.data()),
      lines_(trace.lines.data()),
      step_count_(static_cast<uint32_t>(trace.steps.size())),
      access_count_(static_cast<uint32_t>(trace.accesses.size())) {
  enter();
}

// Whether the trace goes on along this block's path; sets where it would be afterwards.
bool WarpCursor::matches(const DecodedBlock& block) {
  if (block.path.size() > kMaxPath) return false;
  uint32_t step = step_, done = done_;
  uint8_t count = 0;
  for (size_t i = 0; i < block.path.size(); ++i) {
    const machine::PathStep& want = block.path[i];
    if (step < step_count_ && steps_[step].block == want.block) {
      ordinal_[i] = count++;
      if (++done == steps_[step].repeats) ++step, done = 0;
    } else if (want.optional) {
      ordinal_[i] = kSkipped;
    } else {
      return false;
    }
  }
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
    lanes_ = static_cast<unsigned>(std::popcount(step.lanes));
    const DecodedBlock* found = nullptr;
    if (step.block < kernel_->starting_at.size())
      for (uint32_t candidate : kernel_->starting_at[step.block])
        if (matches(kernel_->blocks[candidate])) {
          found = &kernel_->blocks[candidate];
          break;
        }
    if (!found) {  // no code for it (a really called function that was not lowered): it costs nothing
      if (++done_ == step.repeats) ++step_, done_ = 0;
      ++executed_;
      continue;
    }
    at_ = kernel_->code.data() + found->first;
    end_ = kernel_->code.data() + found->end;
    if (at_ != end_) {
      parted_ = mask_ != 0 && (mask_ & step.lanes) == 0;
      mask_ = step.lanes;
      return;
    }
    // An empty block: on with the next, as if its lanes had not run it.
    executed_ += path_steps_;
    step_ = next_step_, done_ = next_done_;
  }
}

void WarpCursor::next() {
  parted_ = false;
  if (++at_ != end_) return;
  executed_ += path_steps_;
  step_ = next_step_, done_ = next_done_;
  while (access_ < access_count_ && accesses_[access_].step < executed_) ++access_;
  enter();
}

const TraceAccess* WarpCursor::access(uint32_t number) const {
  const uint8_t ordinal = at_->step < kMaxPath ? ordinal_[at_->step] : kSkipped;
  if (ordinal == kSkipped || number == machine::kNone) return nullptr;
  const uint32_t step = executed_ + ordinal;
  for (uint32_t i = access_; i < access_count_ && accesses_[i].step <= step; ++i)
    if (accesses_[i].step == step && accesses_[i].access == number) return &accesses_[i];
  return nullptr;
}

const TraceAccess* WarpCursor::barrier() const {
  const uint8_t ordinal = at_->step < kMaxPath ? ordinal_[at_->step] : kSkipped;
  if (ordinal == kSkipped) return nullptr;
  const uint32_t step = executed_ + ordinal;
  for (uint32_t i = access_; i < access_count_ && accesses_[i].step <= step; ++i)
    if (accesses_[i].step == step && accesses_[i].space == TraceSpace::Barrier) return &accesses_[i];
  return nullptr;
}

}  // namespace drywarp::timing
