#include "engine/check/thread_clocks.h"

#include <algorithm>
#include <bit>

namespace drywarp::check {

ThreadClocks::ThreadClocks(uint32_t warps) : own_(size_t{warps} * kWarpSize, 1) {
  auto nothing = std::make_shared<Clock>();
  nothing->of.resize(own_.size());
  nothing->least.resize(warps);
  known_.assign(own_.size(), nothing);
}

void ThreadClocks::Moment::join(const Known& known) {
  if (known == last_) return;
  last_ = known;
  if (of_.empty()) {
    of_ = known->of;
    return;
  }
  for (size_t i = 0; i < of_.size(); ++i) of_[i] = std::max(of_[i], known->of[i]);
}

void ThreadClocks::Moment::join(const Moment& other) {
  if (of_.empty()) {
    of_ = other.of_;
    return;
  }
  for (size_t i = 0; i < other.of_.size(); ++i) of_[i] = std::max(of_[i], other.of_[i]);
}

ThreadClocks::Known ThreadClocks::Moment::known() const {
  auto clock = std::make_shared<Clock>();
  clock->of = of_;
  for (size_t first = 0; first < of_.size(); first += kWarpSize)
    clock->least.push_back(*std::min_element(of_.begin() + static_cast<std::ptrdiff_t>(first),
                                             of_.begin() + static_cast<std::ptrdiff_t>(first + kWarpSize)));
  return clock;
}

bool ThreadClocks::ordered(uint32_t thread, uint32_t warp, LaneMask lanes, uint32_t when) const {
  const Clock& known = *known_[thread];
  if (known.least[warp] >= when) return true;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const uint32_t other = warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(left));
    if (other != thread && known.of[other] < when) return false;
  }
  return true;
}

void ThreadClocks::collect(Moment& moment, uint32_t warp, LaneMask lanes) const {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const uint32_t thread = warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(left));
    moment.join(known_[thread]);
    moment.raise(thread, own_[thread]);
  }
}

void ThreadClocks::learn(uint32_t warp, LaneMask lanes, const Known& known) {
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    known_[warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(left))] = known;
}

void ThreadClocks::learn_more(uint32_t thread, const Moment& moment) {
  Moment all;
  all.join(known_[thread]);
  all.join(moment);
  known_[thread] = all.known();
}

void ThreadClocks::tick(uint32_t warp, LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1)
    ++own_[warp * kWarpSize + static_cast<uint32_t>(std::countr_zero(left))];
}

}  // namespace drywarp::check
