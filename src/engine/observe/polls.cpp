#include "engine/observe/polls.h"

namespace drywarp::observe {

void Polls::step(WarpTrace& trace, const Step& next, uint64_t executed, uint32_t& steps, uint64_t& dropped) {
  if (failed_) polled_ = true, poll_ = last_, poll_step_ = last_step_;
  failed_ = false;
  polled_ = polled_ && trace.accesses.size() == poll_.accesses && trace.objects.size() == poll_.objects;
  if (polled_ && poll_step_.code_block == next.code_block && poll_step_.lanes == next.lanes) {
    trace.steps.resize(poll_.steps);
    if (!trace.steps.empty()) trace.steps.back().repeats = poll_.repeats;
    steps = poll_.executed;
    dropped += instructions_ - poll_.instructions;
    polled_ = false;
  }
  last_ = {trace.steps.size(),
           trace.accesses.size(),
           trace.objects.size(),
           trace.steps.empty() ? 0 : trace.steps.back().repeats,
           steps,
           instructions_};
  last_step_ = next;
  instructions_ += executed;
}

}  // namespace drywarp::observe
