#include "timing/cursor.h"

#include <bit>

namespace drywarp::timing {

WarpCursor::WarpCursor(const DecodedKernel& kernel, const WarpTrace& trace) : kernel_(&kernel), trace_(&trace) {
  enter();
}

// Whether the trace goes on along this block's path; sets where it would be afterwards.
bool WarpCursor::matches(const DecodedBlock& block) {
  if (block.path.size() > kMaxPath) return false;
  uint32_t step = step_, done = done_, count = 0;
  const auto& steps = trace_->steps;
  for (size_t i = 0; i < block.path.size(); ++i) {
    const machine::PathStep& want = block.path[i];
    if (step < steps.size() && steps[step].block == want.block) {
      ordinal_[i] = executed_ + count++;
      if (++done == steps[step].repeats) ++step, done = 0;
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
    if (step_ >= trace_->steps.size()) {
      at_ = end_ = nullptr;
      return;
    }
    const WarpStep& step = trace_->steps[step_];
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
    if (at_ != end_) return;
    // An empty block: on with the next.
    executed_ += path_steps_;
    step_ = next_step_, done_ = next_done_;
  }
}

void WarpCursor::next() {
  if (++at_ != end_) return;
  executed_ += path_steps_;
  step_ = next_step_, done_ = next_done_;
  const auto& accesses = trace_->accesses;
  while (access_ < accesses.size() && accesses[access_].step < executed_) ++access_;
  enter();
}

const TraceAccess* WarpCursor::access(uint32_t number) {
  const uint32_t step = at_->step < kMaxPath ? ordinal_[at_->step] : kSkipped;
  if (step == kSkipped || number == machine::kNone) return nullptr;
  const auto& accesses = trace_->accesses;
  for (size_t i = access_; i < accesses.size() && accesses[i].step <= step; ++i)
    if (accesses[i].step == step && accesses[i].access == number) return &accesses[i];
  return nullptr;
}

const TraceAccess* WarpCursor::barrier() {
  const uint32_t step = at_->step < kMaxPath ? ordinal_[at_->step] : kSkipped;
  const auto& accesses = trace_->accesses;
  for (size_t i = access_; i < accesses.size() && accesses[i].step <= step; ++i)
    if (accesses[i].step == step && accesses[i].space == TraceSpace::Barrier) return &accesses[i];
  return nullptr;
}

std::span<const TraceLine> WarpCursor::lines(const TraceAccess& access) const {
  return {trace_->lines.data() + access.first_line, access.line_count};
}

}  // namespace drywarp::timing
