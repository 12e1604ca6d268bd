#include "timing/event_queue.h"

#include <algorithm>
#include <bit>

namespace drywarp::timing {

EventQueue::EventQueue() : first_(kPlaces, kNone), filled_(kPlaces / 64) {}

void EventQueue::push(const Event& event) {
  const uint64_t window = window_of(event.at);
  if (window <= now_) {  // mostly of the SM whose turn it is: its place is near the end
    auto place = open_.end();
    while (place != open_.begin() && *(place - 1) < event) --place;
    open_.insert(place, event);
    return;
  }
  if (window - now_ >= kPlaces) return later_.push(event);
  uint32_t node = free_;
  if (node == kNone) {
    node = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  const uint64_t place = window % kPlaces;
  nodes_[node] = {event, first_[place]};
  first_[place] = node;
  filled_[place / 64] |= uint64_t{1} << place % 64;
  ++in_calendar_;
}

// The calendar holds windows behind now_ only, and fewer than it has places: each place stands for one window.
uint64_t EventQueue::next_in_calendar() const {
  const uint64_t from = (now_ + 1) % kPlaces;
  uint64_t word = from / 64, bits = filled_[word] >> from % 64 << from % 64;
  while (bits == 0) {
    word = (word + 1) % filled_.size();
    bits = filled_[word];
  }
  const uint64_t place = word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
  return now_ + 1 + (place + kPlaces - from) % kPlaces;
}

bool EventQueue::open_next() {
  if (in_calendar_ == 0 && later_.empty()) return false;
  uint64_t window = in_calendar_ != 0 ? next_in_calendar() : ~uint64_t{0};
  if (!later_.empty()) window = std::min(window, window_of(later_.top().at));
  now_ = window;
  const uint64_t place = window % kPlaces;
  for (uint32_t node = first_[place]; node != kNone;) {
    open_.push_back(nodes_[node].event);
    const uint32_t next = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    node = next;
    --in_calendar_;
  }
  first_[place] = kNone;
  filled_[place / 64] &= ~(uint64_t{1} << place % 64);
  while (!later_.empty() && window_of(later_.top().at) == window) {
    open_.push_back(later_.top());
    later_.pop();
  }
  std::sort(open_.begin(), open_.end(), std::greater<>());
  return true;
}

}  // namespace drywarp::timing
