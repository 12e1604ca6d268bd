// The next events of each SM: issues of its sub-partitions, and requests of its load-store unit.
//
// SMs share only the L2, which is hundreds of cycles away. So they are simulated in turns: time is divided into windows
// of a few cycles, and in each window one SM after the other processes its events in time order. Meanwhile its state
// stays in the host's cache. The L2 gets requests out of order by up to a window, which is little compared with a
// request's latency.
//
// A unit has at most one event, so the queue is an array of times.
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

  // Sets the time of the unit's next event, at least 0; kNever: none. Replaces the time that was set before.
  void set(uint32_t sm, uint32_t unit, Cycles at) {
    set_time(&times_[size_t{sm} * stride_], unit, at);
    soonest_[sm] = std::min(soonest_[sm], at);
    quiet_known_ = false;
  }

  // Advances to the next SM that has an event in this window, or else to the next window with events. False: none is
  // left.
  bool next_turn();
  [[nodiscard]] uint32_t sm() const { return turns_[turn_]; }  // whose turn it is

  struct Event {
    Cycles at = kNever;
    uint32_t unit = 0;
  };
  // Removes and returns the first event of the SM whose turn it is; of several at the same time, the lowest unit's.
  // kNever: its turn is over.
  Event take();
  // The time of the next event on the SM whose turn it is, at most the end of the window.
  [[nodiscard]] Cycles quiet_until() {
    if (!quiet_known_) quiet_ = std::min(first_of(sm()), end_), quiet_known_ = true;
    return quiet_;
  }

 private:
  [[nodiscard]] Cycles first_of(uint32_t sm) const { return least(times_.data() + size_t{sm} * stride_, stride_); }

  uint32_t stride_;              // units of an SM, rounded up to a multiple of kTimes
  std::vector<Cycles> times_;    // of all units
  std::vector<Cycles> soonest_;  // of each SM: a lower bound of its first event, exact outside its turn
  std::vector<uint16_t> turns_;  // SMs that have a turn in this window
  size_t turn_count_ = 0, turn_ = 0;
  Cycles end_ = 0;  // of the window
  Cycles quiet_ = 0;
  bool quiet_known_ = false;
};

}  // namespace drywarp::sm
