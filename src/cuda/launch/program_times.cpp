#include "cuda/launch/program_times.h"

#include <utility>

namespace drywarp::cuda {

ProgramTimes::Start ProgramTimes::begin(const LaunchTrace* trace) {
  if (!trace) return {};
  Start start{true, {}, 0};
  const std::vector<uint64_t> touched = memory::HeldLines::touched(*trace);
  // Blocks that were not recorded touch other lines: then all that was there may have gone.
  if (trace->blocks.size() < trace->blocks_in_grid) {
    lines_.forget();
  } else if (!touched.empty()) {
    start.held = lines_.find(touched);
    start.eighths = static_cast<unsigned>((start.held.size() * kShares + touched.size() / 2) / touched.size());
  }
  lines_.touch(touched);
  return start;
}

ProgramTimes::Known& ProgramTimes::known(const Time& alone) {
  if (known_.size() >= kMostKnown && !known_.contains(alone.get())) known_.clear();
  Known& known = known_[alone.get()];
  known.alone = known.by_eighths[0] = alone;
  return known;
}

ProgramTimes::Time ProgramTimes::find(const Time& alone, const Start& start) {
  Known& known = this->known(alone);
  if (start.recorded) known.last = start.eighths;
  const Time& time = known.by_eighths[known.last];
  // What was not recorded cannot be modelled.
  return time || start.recorded ? time : alone;
}

void ProgramTimes::keep(const Time& alone, const Start& start, Time time) {
  known(alone).by_eighths[start.eighths] = std::move(time);
}

}  // namespace drywarp::cuda
