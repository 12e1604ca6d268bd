#include "model/sm/units/event_queue.h"

#include <bit>
#include <cmath>

#include "base/support/round_up.h"

namespace drywarp::sm {
EventQueue::EventQueue(uint32_t sms, uint32_t units)
    : stride_(round_up(units, kTimes)),
      times_(size_t{sms} * stride_, kNever),
      soonest_(round_up(sms, kTimes), kNever),
      turns_(soonest_.size()) {}

// Branch-free filter: always store, advance the index only on a match. The branch would be unpredictable.
bool EventQueue::next_turn() {
  if (++turn_ < turn_count_) return true;
  const Cycles first = least(soonest_.data(), soonest_.size());
  if (first >= kNever) return false;
  end_ = (std::floor(first / kWindow) + 1) * kWindow;
  turn_count_ = turn_ = 0;
  for (uint32_t sm = 0; sm < soonest_.size(); ++sm) {
    turns_[turn_count_] = static_cast<uint16_t>(sm);
    turn_count_ += soonest_[sm] < end_ ? 1 : 0;
  }
  return true;
}

EventQueue::Event EventQueue::take() {
  const uint32_t now = sm();
  const Cycles first = first_of(now);
  if (first >= end_) {
    soonest_[now] = first;
    return {};
  }
  quiet_known_ = false;
  Cycles* const times = times_.data() + size_t{now} * stride_;
  // `first` is the minimum, so units that are not later have their event at that time.
  uint32_t unit = 0, firsts = not_later(times, first);
  for (; firsts == 0; firsts = not_later(times + unit, first)) unit += kTimes;
  unit += static_cast<uint32_t>(std::countr_zero(firsts));
  set_time(times, unit, kNever);
  return {first, unit};
}

}  // namespace drywarp::sm
