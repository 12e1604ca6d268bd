#include "timing/event_queue.h"

#include <algorithm>
#include <bit>

namespace drywarp::timing {

EventQueue::EventQueue() : first_(kPlaces, kNone), filled_(kPlaces / 64) {}

void EventQueue::push(const Event& event) {
  const uint64_t quarter = quarter_of(event.at);
  if (quarter <= now_) {
    open_.insert(std::upper_bound(open_.begin() + static_cast<ptrdiff_t>(next_), open_.end(), event), event);
    return;
  }
  if (quarter - now_ >= kPlaces) return later_.push(event);
  uint32_t node = free_;
  if (node == kNone) {
    node = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  const uint64_t place = quarter % kPlaces;
  nodes_[node] = {event, first_[place]};
  first_[place] = node;
  filled_[place / 64] |= uint64_t{1} << place % 64;
  ++in_calendar_;
}

// The calendar holds quarters behind now_ only, and fewer than it has places: each place stands for one quarter.
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

void EventQueue::look_on() {
  if (in_calendar_ == 0 && later_.empty()) return;
  open_.erase(open_.begin(), open_.begin() + static_cast<ptrdiff_t>(next_));
  next_ = 0;
  while (open_.size() < kKnown && (in_calendar_ != 0 || !later_.empty())) open_next();
}

void EventQueue::open_next() {
  const auto known = static_cast<ptrdiff_t>(open_.size());
  uint64_t quarter = in_calendar_ != 0 ? next_in_calendar() : ~uint64_t{0};
  if (!later_.empty()) quarter = std::min(quarter, quarter_of(later_.top().at));
  now_ = quarter;
  const uint64_t place = quarter % kPlaces;
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
  while (!later_.empty() && quarter_of(later_.top().at) == quarter) {
    open_.push_back(later_.top());
    later_.pop();
  }
  std::sort(open_.begin() + known, open_.end());
}

}  // namespace drywarp::timing
