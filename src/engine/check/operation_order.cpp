#include "engine/check/operation_order.h"

#include <algorithm>

namespace drywarp::check {

void OperationClock::set(uint32_t line, uint64_t count) {
  if (line >= counts_.size()) counts_.resize(size_t{line} + 1);
  counts_[line] = count;
}

void OperationClock::join(const OperationClock& other) {
  if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] = std::max(counts_[i], other.counts_[i]);
}

bool is_before(const OperationMoment& earlier, const OperationMoment& later) {
  const bool one_launch = earlier.line == later.line && earlier.number == later.number;
  // A grid is before what it launches.
  if (one_launch && later.inner)
    return !earlier.inner || later.inner->before.at(earlier.inner->line) >= earlier.inner->number;
  return later.before.at(earlier.line) >= earlier.number;
}

uint32_t OperationOrder::add_stream(bool blocking) {
  const auto gone = std::ranges::find_if(streams_, [&](const Stream& s) {
    return s.removed && host_.at(static_cast<uint32_t>(&s - streams_.data())) >= s.count;
  });
  if (gone == streams_.end()) {
    streams_.push_back({blocking, false, 0, {}, {}});
    return static_cast<uint32_t>(streams_.size() - 1);
  }
  *gone = {blocking, false, gone->count, host_, {}};
  return static_cast<uint32_t>(gone - streams_.begin());
}

void OperationOrder::remove_stream(uint32_t line) { streams_[line].removed = true; }

OperationClock OperationOrder::now(uint32_t line) const {
  OperationClock clock = streams_[line].clock;
  clock.join(host_);
  if (line == kDefaultStream)
    clock.join(blocking_);
  else if (streams_[line].blocking)
    clock.join(streams_[kDefaultStream].clock);
  return clock;
}

OperationMoment OperationOrder::issue(uint32_t line, bool beside_previous) {
  Stream& stream = streams_[line];
  OperationMoment moment;
  moment.line = line;
  moment.before = now(line);
  stream.clock = moment.before;
  if (beside_previous) {
    moment.before = stream.before_last;
    moment.before.join(host_);
  }
  stream.before_last = moment.before;
  moment.number = ++stream.count;
  stream.clock.set(line, moment.number);
  if (line != kDefaultStream && stream.blocking) blocking_.join(stream.clock);
  return moment;
}

// As an operation of the stream, which others of it, and of those that it is ordered with, follow.
void OperationOrder::wait(uint32_t line, const OperationClock& event) {
  issue(line);
  streams_[line].clock.join(event);
  if (line != kDefaultStream && streams_[line].blocking) blocking_.join(event);
}

void OperationOrder::host_waits_for_all() {
  for (uint32_t line = 0; line < streams_.size(); ++line) host_.join(streams_[line].clock);
}

OperationClock after(const OperationMoment& operation) {
  OperationClock clock = operation.before;
  clock.set(operation.line, operation.number);
  return clock;
}

OperationMoment GraphOrder::add(const std::vector<size_t>& after) {
  NodeMoment node;
  for (const size_t number : after) {
    const NodeMoment& earlier = nodes_[number];
    node.before.join(earlier.before);
    node.before.set(earlier.line, std::max(node.before.at(earlier.line), earlier.number));
  }
  // It continues a line whose last node is before it.
  while (node.line < lengths_.size() && node.before.at(node.line) != lengths_[node.line]) ++node.line;
  if (node.line == lengths_.size()) lengths_.push_back(0);
  node.number = ++lengths_[node.line];
  nodes_.push_back(node);
  OperationMoment moment = launch_;
  moment.inner = std::move(node);
  return moment;
}

}  // namespace drywarp::check
