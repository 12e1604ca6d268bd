// What happens next on each SM: issues of its sub-partitions, turns of its load-store unit.
//
// SMs meet in the L2 only, hundreds of cycles away. So they take turns: time is cut into windows of a few cycles, and
// in each of them one SM after the other does all that it has to do there, in the order of time. What an SM looks at
// stays in the host's cache meanwhile; the L2 gets its requests up to a window out of order, which is little against
// what a request takes.
//
// Windows that come lie in a calendar, each with a list of its events. A window's events are sorted when its turn has
// come. So it is known what comes next, and what those events will touch can be brought into the host's cache
// meanwhile: see known().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "memsys/server.h"

namespace drywarp::timing {

class EventQueue {
 public:
  static constexpr memsys::Cycles kWindow = 8;

  struct Event {
    memsys::Cycles at = 0;  // not negative
    uint16_t sm = 0, unit = 0;
    uint32_t version = 0;
    // Of a window, an SM's events together, in the order of time; at the same time, in that of its units. Times that
    // are not negative compare as their bits do.
    [[nodiscard]] unsigned __int128 key() const {
      return static_cast<unsigned __int128>(uint64_t{sm} << 48 | std::bit_cast<uint64_t>(at) >> 16) << 64 |
             std::bit_cast<uint64_t>(at) << 48 | uint64_t{unit} << 32 | version;
    }
    bool operator<(const Event& o) const { return key() < o.key(); }
    bool operator>(const Event& o) const { return o < *this; }
  };

  EventQueue();
  void push(const Event& event);
  // The first event; nullptr: there is none. Valid until the next call.
  [[nodiscard]] const Event* first() {
    while (open_.empty())
      if (!open_next()) return nullptr;
    return &open_.back();
  }
  void pop() { open_.pop_back(); }  // the event that first() has shown
  // Until when nothing else happens on an SM whose turn it is, as far as that is known: its turn ends.
  [[nodiscard]] memsys::Cycles quiet_until(uint32_t sm) const {
    return !open_.empty() && open_.back().sm == sm ? open_.back().at : static_cast<memsys::Cycles>(now_ + 1) * kWindow;
  }
  // The events of the window, the first last.
  [[nodiscard]] std::span<const Event> known() const { return open_; }

 private:
  // Windows that the calendar has a place for; what comes later waits in a heap.
  static constexpr uint64_t kPlaces = 1024;
  static uint64_t window_of(memsys::Cycles at) { return static_cast<uint64_t>(at / kWindow); }
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Node {
    Event event;
    uint32_t next;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.at > b.at; }
  };
  bool open_next();  // the next that has events; false: there is none
  [[nodiscard]] uint64_t next_in_calendar() const;

  std::vector<Event> open_;  // of window now_ and those before it, the first last
  uint64_t now_ = 0;
  std::vector<uint32_t> first_;   // by window modulo kPlaces: the first of its nodes
  std::vector<uint64_t> filled_;  // a bit a window: it has nodes
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;  // nodes that are not in use
  size_t in_calendar_ = 0;
  std::priority_queue<Event, std::vector<Event>, Later> later_;
};

}  // namespace drywarp::timing
