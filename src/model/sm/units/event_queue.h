// What happens next on each SM: issues of its sub-partitions, turns of its load-store unit.
//
// SMs meet in the L2 only, hundreds of cycles away. So they take turns: time is cut into windows of a few cycles, and
// in each of them one SM after the other does all that it has to do there, in the order of time. What an SM looks at
// stays in the host's cache meanwhile; the L2 gets its requests up to a window out of order, which is little against
// what a request takes. It is known at the start of a window who has something to do there, and what they will touch
// can be brought into the host's cache meanwhile: see coming().
//
// A unit of an SM has one event at most, so that all there is to know are their times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/sm/units/times.h"

namespace drywarp::sm {

class EventQueue {
 public:
  static constexpr Cycles kWindow = 8;

  EventQueue(uint32_t sms, uint32_t units);  // of each SM

  // When the unit's next event is, not before 0; kNever: it has none. What was set before is forgotten.
  void set(uint32_t sm, uint32_t unit, Cycles at) {
    times_[size_t{sm} * stride_ + unit] = at;
    soonest_[sm] = std::min(soonest_[sm], at);
    quiet_known_ = false;
  }

  // On to the next SM that has something to do in this window, or in the first in which one has. False: nobody ever.
  bool next_turn();
  [[nodiscard]] uint32_t sm() const { return turns_[turn_]; }  // whose turn it is
  static constexpr uint32_t kNobody = ~0u;
  // The unit whose event is `count` places ahead in the queue; used to prefetch its state. `count`: kFarthest at most.
  // Known as of the start of the window, for all but the last unit of each SM. kNobody: no unit is left.
  static constexpr uint32_t kFarthest = 16;
  [[nodiscard]] uint32_t coming(uint32_t count) const { return known_[std::min<size_t>(taken_, known_count_) + count]; }

  struct Event {
    Cycles at = kNever;
    uint32_t unit = 0;
  };
  // The first event of the SM whose turn it is, no longer set; of several at a time, that of the lowest unit. kNever:
  // its turn is over.
  Event take();
  // Until when nothing else happens on the SM whose turn it is, as far as that is known: its turn ends.
  [[nodiscard]] Cycles quiet_until() {
    if (!quiet_known_) quiet_ = std::min(first_of(sm()), end_), quiet_known_ = true;
    return quiet_;
  }

 private:
  [[nodiscard]] Cycles first_of(uint32_t sm) const { return least(times_.data() + size_t{sm} * stride_, stride_); }

  uint32_t units_;
  uint32_t stride_;              // units of an SM, and behind them some that have no events
  std::vector<Cycles> times_;    // of all units
  std::vector<Cycles> soonest_;  // of each SM: not later than its first event, outside of its turn just that
  // Of this window: SMs that have a turn; sub-partitions whose events are known, and kNobody behind them.
  std::vector<uint16_t> turns_;
  std::vector<uint32_t> known_;
  size_t turn_count_ = 0, turn_ = 0, known_count_ = 0, taken_ = 0;
  Cycles end_ = 0;  // of the window
  Cycles quiet_ = 0;
  bool quiet_known_ = false;
};

}  // namespace drywarp::sm
