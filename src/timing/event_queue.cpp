#include "timing/event_queue.h"

#include <algorithm>
#include <bit>

namespace drywarp::timing {

EventQueue::EventQueue() : first_(kCycles, kNone), filled_(kCycles / 64) {}

void EventQueue::push(const Event& event) {
  const auto cycle = static_cast<uint64_t>(event.at);
  if (cycle <= now_) {
    cycle_.insert(std::upper_bound(cycle_.begin() + static_cast<ptrdiff_t>(next_), cycle_.end(), event), event);
    return;
  }
  if (cycle - now_ >= kCycles) return later_.push(event);
  uint32_t node = free_;
  if (node == kNone) {
    node = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[node].next;
  }
  const uint64_t place = cycle % kCycles;
  nodes_[node] = {event, first_[place]};
  first_[place] = node;
  filled_[place / 64] |= uint64_t{1} << place % 64;
  ++in_calendar_;
}

// The calendar holds cycles behind now_ only, and fewer than it has places: each place stands for one cycle.
uint64_t EventQueue::next_in_calendar() const {
  const uint64_t from = (now_ + 1) % kCycles;
  uint64_t word = from / 64, bits = filled_[word] >> from % 64 << from % 64;
  while (bits == 0) {
    word = (word + 1) % filled_.size();
    bits = filled_[word];
  }
  const uint64_t place = word * 64 + static_cast<uint64_t>(std::countr_zero(bits));
  return now_ + 1 + (place + kCycles - from) % kCycles;
}

bool EventQueue::open_next() {
  cycle_.clear();
  next_ = 0;
  if (in_calendar_ == 0 && later_.empty()) return false;
  uint64_t cycle = in_calendar_ != 0 ? next_in_calendar() : ~uint64_t{0};
  if (!later_.empty()) cycle = std::min(cycle, static_cast<uint64_t>(later_.top().at));
  now_ = cycle;
  const uint64_t place = cycle % kCycles;
  for (uint32_t node = first_[place]; node != kNone;) {
    cycle_.push_back(nodes_[node].event);
    const uint32_t next = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    node = next;
    --in_calendar_;
  }
  first_[place] = kNone;
  filled_[place / 64] &= ~(uint64_t{1} << place % 64);
  while (!later_.empty() && static_cast<uint64_t>(later_.top().at) == cycle) {
    cycle_.push_back(later_.top());
    later_.pop();
  }
  std::sort(cycle_.begin(), cycle_.end());
  return true;
}

}  // namespace drywarp::timing
