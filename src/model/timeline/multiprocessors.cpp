#include "model/timeline/multiprocessors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drywarp::timeline {
namespace {

constexpr double kRounds = 64;   // into which a kernel is cut at most
constexpr double kClose = 0.01;  // of a slot, or nanoseconds: below is rounding, also after hours

}  // namespace

void Multiprocessors::arrive(uint32_t name, const Operation& operation, double now) {
  advance(now);
  const Shape& shape = operation.shape;
  Kernel kernel;
  kernel.name = name, kernel.priority = operation.priority;
  kernel.slots = std::max(shape.slots, 1.0);
  const double blocks = std::max(shape.blocks, 1.0);
  const double bundle = std::max(1.0, std::ceil(blocks / kernel.slots / kRounds));
  kernel.units = std::ceil(blocks / bundle);
  kernel.unit_ns = std::max(operation.duration_ns - shape.overhead_ns, 0.0) / std::ceil(kernel.units / kernel.slots);
  kernel.waiting = kernel.units;
  const double alone = std::min(kernel.units, kernel.slots);
  kernel.sm_share = std::min(shape.sm_share, 1.0) / alone;
  kernel.memory_share = std::min(shape.memory_share, 1.0) / alone;
  uint32_t place = uint32_t(kernels_.size());
  if (unused_.empty()) {
    kernels_.push_back(kernel);
  } else {
    place = unused_.back();
    unused_.pop_back();
    kernels_[place] = kernel;
  }
  const auto after =
      std::ranges::upper_bound(order_, kernel.priority, {}, [&](uint32_t k) { return kernels_[k].priority; });
  order_.insert(after, place);
  dispatch(kNone);
}

double Multiprocessors::next() const {
  double least = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_) least = std::min(least, group.left_ns);
  return groups_.empty() ? least : now_ + least * rate_;
}

void Multiprocessors::advance(double now) {
  if (now <= now_ && !groups_.empty() && next() > now_) return;
  const double passed = std::max(now - now_, 0.0) / rate_;
  now_ = std::max(now, now_);
  uint32_t freed_by = kNone;
  for (Group& group : groups_) {
    group.left_ns -= passed;
    // What is left may be too little to move a late clock.
    if (group.left_ns > kClose && now_ + group.left_ns * rate_ > now_) continue;
    group.left_ns = 0;
    Kernel& kernel = kernels_[group.kernel];
    kernel.running -= group.units;
    used_ -= group.units / kernel.slots;
    freed_by = kernel.name;
    if (kernel.waiting == 0 && kernel.running < kClose) {
      ended_.push_back({kernel.name, now_});
      unused_.push_back(group.kernel);
    }
  }
  if (freed_by == kNone) return;
  std::erase_if(groups_, [](const Group& group) { return group.left_ns <= kClose; });
  if (groups_.empty()) used_ = 0;
  dispatch(freed_by);
}

void Multiprocessors::dispatch(uint32_t freed_by) {
  while (!order_.empty()) {
    const uint32_t place = order_.front();
    Kernel& kernel = kernels_[place];
    const double room = std::floor((1 - used_) * kernel.slots + kClose);
    const double units = std::min(kernel.waiting, room);
    if (units >= 1) {
      if (!kernel.started) started_.push_back({kernel.name, now_, kernel.had_to_wait ? freed_by : kNone});
      kernel.started = true;
      kernel.waiting -= units, kernel.running += units;
      used_ += units / kernel.slots;
      groups_.push_back({place, units, kernel.unit_ns});
    }
    if (kernel.waiting > 0) break;
    order_.erase(order_.begin());
  }
  for (const uint32_t place : order_) kernels_[place].had_to_wait |= !kernels_[place].started;
  rate();
}

void Multiprocessors::rate() {
  double sm = 0, memory = 0;
  for (const Group& group : groups_) {
    sm += kernels_[group.kernel].sm_share * group.units;
    memory += kernels_[group.kernel].memory_share * group.units;
  }
  rate_ = std::max({1.0, sm, memory});
}

}  // namespace drywarp::timeline
