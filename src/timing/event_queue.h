// The sub-partitions' next issues, soonest first: a calendar of quarters of cycles, each with a list of the
// events in it.
//
// A machine has hundreds of sub-partitions and in most cycles many of them issue, so a quarter's events are sorted
// once, when its turn is near. So it is known what comes next, and what those events will touch can be brought into the
// host's cache meanwhile: see ahead().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "memsys/server.h"

namespace drywarp::timing {

class EventQueue {
 public:
  struct Event {
    memsys::Cycles at = 0;  // not negative
    uint32_t part = 0, version = 0;
    // Events at the same time are served in the order of their parts. Times that are not negative compare as their
    // bits do.
    [[nodiscard]] unsigned __int128 key() const {
      return static_cast<unsigned __int128>(std::bit_cast<uint64_t>(at)) << 64 | uint64_t{part} << 32 | version;
    }
    bool operator<(const Event& o) const { return key() < o.key(); }
    bool operator>(const Event& o) const { return o < *this; }
  };

  EventQueue();
  void push(const Event& event);
  // The first event; nullptr: there is none. Valid until the next call.
  [[nodiscard]] const Event* first() {
    if (open_.size() - next_ < kKnown) look_on();
    return next_ != open_.size() ? &open_[next_] : nullptr;
  }
  void pop() { ++next_; }  // the event that first() has shown
  // So many events behind the first are known, if there are so many.
  static constexpr size_t kKnown = 16;
  // The event that is so many behind the first, if it is known.
  [[nodiscard]] const Event* ahead(size_t count) const {
    return next_ + count < open_.size() ? &open_[next_ + count] : nullptr;
  }

 private:
  // Quarters of cycles that the calendar has a place for; what comes later waits in a heap.
  static constexpr uint64_t kPlaces = 8192;
  static uint64_t quarter_of(memsys::Cycles at) { return static_cast<uint64_t>(at * 4); }
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Node {
    Event event;
    uint32_t next;
  };
  void look_on();    // opens quarters until enough is known
  void open_next();  // the next that has events; there is one
  [[nodiscard]] uint64_t next_in_calendar() const;

  std::vector<Event> open_;  // all up to quarter now_, sorted; those before next_ are done
  size_t next_ = 0;
  uint64_t now_ = 0;
  std::vector<uint32_t> first_;   // by quarter modulo kPlaces: the first of its nodes
  std::vector<uint64_t> filled_;  // a bit a quarter: it has nodes
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;  // nodes that are not in use
  size_t in_calendar_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> later_;
};

}  // namespace drywarp::timing
