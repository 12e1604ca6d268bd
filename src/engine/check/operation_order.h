// The order of a program's operations (launches, copies, fills) by what CUDA promises, never by what happened: vector
// clocks with a line for each stream, and a clock of the host. The legacy default stream waits for blocking streams,
// and they for it.
//
// Host threads are taken to be ordered as they ran, because their locks and joins are not seen: what one has waited
// for, all know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::check {

// How many operations of each line are before.
class OperationClock {
 public:
  [[nodiscard]] uint64_t at(uint32_t line) const { return line < counts_.size() ? counts_[line] : 0; }
  void set(uint32_t line, uint64_t count);
  void join(const OperationClock& other);

 private:
  std::vector<uint64_t> counts_;
};

// A node among those of its graph, or a launch among those that a grid makes. The launch of the graph, or the grid, is
// an operation of its stream: whatever is after that is after every node.
struct NodeMoment {
  uint32_t line = 0;
  uint64_t number = 0;
  OperationClock before;
};

// An operation in the order.
struct OperationMoment {
  uint32_t line = 0;
  uint64_t number = 0;  // in its line; the first is 1
  OperationClock before;
  std::optional<NodeMoment> inner;
  uint32_t stream = 0;  // as reports show it
  std::string place;    // of the call that issued it: callers, as symbolizers take them
  // That call's return addresses, the innermost first; null: not known.
  std::shared_ptr<const std::vector<void*>> stack;
};

// Whether `earlier` is before all of `later`.
[[nodiscard]] bool is_before(const OperationMoment& earlier, const OperationMoment& later);
// What knows of the operation, and of all nodes of its graph.
[[nodiscard]] OperationClock after(const OperationMoment& operation);
[[nodiscard]] inline bool unordered(const OperationMoment& a, const OperationMoment& b) {
  return !is_before(a, b) && !is_before(b, a);
}

class OperationOrder {
 public:
  static constexpr uint32_t kDefaultStream = 0;  // the legacy one's line

  // The line of a new stream, which may be one of a removed stream that the host has waited for.
  uint32_t add_stream(bool blocking);
  void remove_stream(uint32_t line);
  // The next operation of a stream. `beside_previous`: it need not wait for the one before it.
  OperationMoment issue(uint32_t line, bool beside_previous = false);
  // An event: all of the stream so far.
  [[nodiscard]] OperationClock now(uint32_t line) const;
  void wait(uint32_t line, const OperationClock& event);
  void host_waits(const OperationClock& event) { host_.join(event); }
  void host_waits_for(uint32_t line) { host_.join(now(line)); }
  void host_waits_for_all();
  [[nodiscard]] bool host_knows(const OperationMoment& operation) const {
    return host_.at(operation.line) >= operation.number;
  }

 private:
  struct Stream {
    bool blocking = true, removed = false;
    uint64_t count = 0;
    OperationClock clock;
    OperationClock before_last;  // what the last operation was behind
  };
  std::vector<Stream> streams_{Stream{}};
  OperationClock host_, blocking_;  // what the host has waited for; all blocking streams
};

// The nodes of one launch of a graph, in an order that respects their dependencies: chains of them are lines.
class GraphOrder {
 public:
  explicit GraphOrder(OperationMoment launch) : launch_(std::move(launch)) {}
  // A node that is after other nodes: their numbers in order of add().
  OperationMoment add(const std::vector<size_t>& after);
  // The node waits for an event of the program.
  void wait(const OperationClock& event) { launch_.before.join(event); }
  [[nodiscard]] size_t size() const { return nodes_.size(); }

 private:
  OperationMoment launch_;
  std::vector<NodeMoment> nodes_;
  std::vector<uint64_t> lengths_;  // of the lines
};

}  // namespace drywarp::check
