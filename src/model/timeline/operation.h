// What a program asks of a GPU, in the order in which it asks, and when that happens: the input and the output of the
// model of a whole program. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <vector>

namespace drywarp::timeline {

inline constexpr uint32_t kNone = ~uint32_t{0};

enum class Kind : uint8_t {
  Kernel,
  ToDevice,  // copies and fills, by the engine that performs them
  ToHost,
  Inside,
  Fill,
  Mark,  // takes no engine: an event's record, a graph's empty node, a host function
  Wait,  // of the host, for the operations of `after`
};
inline constexpr unsigned kKinds = unsigned(Kind::Wait) + 1;
[[nodiscard]] constexpr bool is_copy(Kind kind) { return kind >= Kind::ToDevice && kind <= Kind::Fill; }

// How a kernel fills the device when it runs alone.
struct Shape {
  double blocks = 1;        // of the grid
  double slots = 1;         // blocks that the device holds at once
  double overhead_ns = 0;   // of the duration, before the first block starts
  double sm_share = 0;      // busy, 0 to 1: the busiest unit of the SMs, mean over all of them
  double memory_share = 0;  // the same of the memory system that all SMs share
  bool operator==(const Shape&) const = default;
};

struct Operation {
  Kind kind{};
  uint32_t stream = 0;
  uint32_t thread = 0;          // of the host
  int priority = 0;             // the stream's: lower goes first
  bool in_graph = false;        // but for the first operations of a graph: they begin as the launch's own
  bool synchronous = false;     // the host waits for its end
  double duration_ns = 0;       // alone
  double host_ns = 0;           // of the call that issues it
  Shape shape;                  // of a kernel
  std::vector<uint32_t> after;  // earlier operations, by their places in the list, that end before it starts
  uint32_t subject = kNone;     // whose time it is: a launch's or a transfer's place in the profile
  bool operator==(const Operation&) const = default;
};

// Why an operation did not start earlier.
enum class Cause : uint8_t {
  Host,        // issued it only then
  Dependency,  // on another operation
  Engine,      // another operation had it
};

struct Span {
  double start = 0, end = 0;
  Cause cause = Cause::Host;
  uint32_t because = kNone;  // that operation; for Host: the one that the host had waited for before, if any
};

// Of the device file, and of the run's device. What a file does not say is 0: it takes no time.
struct Numbers {
  double submit_ns = 0;          // from the call's end to the start on an idle device
  double wake_ns = 0;            // from the end of what the host waits for until the waiting call returns
  double kernel_gap_ns = 0;      // between two kernels of a stream
  double dependency_gap_ns = 0;  // between a kernel and a copy, or copies of different engines
  double copy_gap_ns = 0;        // between copies of one engine
  double graph_gap_ns = 0;       // between dependent kernels of a graph
  double mark_ns = 0;            // from the end of an operation to the record of an event
  double both_ways_share = 1;    // of its speed that a copy over the link has while one runs the other way
  bool operator==(const Numbers&) const = default;
};

}  // namespace drywarp::timeline
