#include "engine/observe/polls.h"

#include <algorithm>
#include <utility>

namespace drywarp::observe {

PollLoops::PollLoops(PollingCode code) : loops_(std::move(code.loops)) {
  const auto set = [](std::vector<bool>& flags, uint32_t access) {
    if (flags.size() <= access) flags.resize(access + 1);
    flags[access] = true;
  };
  for (const uint32_t access : code.unchanging) set(unchanging_, access);
  for (uint32_t i = 0; i < loops_.size(); ++i) {
    const PollLoop& loop = loops_[i];
    if (at_.size() <= loop.header) at_.resize(loop.header + 1, kNone);
    at_[loop.header] = i;
    for (const uint32_t access : loop.reads) set(reads_, access);
  }
}

void Polls::go_back(WarpTrace& trace, const Place& place, uint32_t& steps, uint64_t& dropped) {
  trace.steps.resize(place.steps);
  if (!trace.steps.empty()) trace.steps.back().repeats = place.repeats;
  trace.accesses.resize(place.accesses);
  trace.lines.resize(place.lines);
  trace.objects.resize(place.objects);
  trace.awaited.resize(place.awaited);
  steps = place.executed;
  dropped += instructions_ - place.instructions;
}

void Polls::step(WarpTrace& trace, const PollLoops& loops, const Step& next, uint64_t executed, uint32_t& steps,
                 uint64_t& dropped) {
  if (failed_) polled_ = true, poll_ = last_, poll_step_ = last_step_;
  failed_ = false;
  polled_ = polled_ && trace.accesses.size() == poll_.accesses && trace.objects.size() == poll_.objects;
  if (polled_ && poll_step_.code_block == next.code_block && poll_step_.lanes == next.lanes) {
    go_back(trace, poll_, steps, dropped);
    polled_ = false;
  }
  if (loop_ && loop_->header == next.code_block && !acted_) {
    if (lanes_ == next.lanes)
      go_back(trace, begin_, steps, dropped);
    else if ((next.lanes & ~lanes_) == 0)
      // Some lanes poll again: what these saw is not what the others waited for.
      std::erase_if(trace.awaited,
                    [&](const AwaitedWrite& a) { return a.access >= begin_.accesses && (a.lanes & ~next.lanes) == 0; });
  } else if (loop_ && !std::ranges::binary_search(loop_->idle, next.code_block)) {
    acted_ = true;
  }
  last_ = {trace.steps.size(),
           trace.accesses.size(),
           trace.lines.size(),
           trace.objects.size(),
           trace.awaited.size(),
           trace.steps.empty() ? 0 : trace.steps.back().repeats,
           steps,
           instructions_};
  last_step_ = next;
  if (const PollLoop* loop = loops.starting_at(next.code_block))
    loop_ = loop, begin_ = last_, lanes_ = next.lanes, acted_ = !std::ranges::binary_search(loop->idle, loop->header);
  else if (loop_ && !std::ranges::binary_search(loop_->inside, next.code_block))
    loop_ = nullptr;
  instructions_ += executed;
}

}  // namespace drywarp::observe
