// A whole program on a GPU: operations of streams on copy engines (one a direction, one inside the device) and SMs.
//
// The host issues operations in order; each call takes its time, and waiting calls wait. An operation starts when the
// host has issued it, all of `after` have ended, and its engine is free. Copy engines serve in order of readiness, one
// operation at a time. The program's own code between calls takes no time.
#pragma once

#include <array>
#include <map>
#include <queue>
#include <vector>

#include "model/timeline/multiprocessors.h"
#include "model/timeline/operation.h"

namespace drywarp::timeline {

class Simulator {
 public:
  explicit Simulator(const Numbers& numbers) : numbers_(numbers) {}
  // Its place in the list. The host of its thread continues behind the call, and behind what the call waits for.
  uint32_t add(const Operation& operation);
  // The time of an operation: lets time pass until it has ended. What is issued later cannot change it.
  const Span& end(uint32_t operation);
  void finish();  // all
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] size_t size() const { return spans_.size(); }

 private:
  struct State {
    Operation operation;
    double ready = 0;       // the earliest start that is known so far
    uint32_t missing = 0;   // operations of `after` that have not ended
    bool launched = false;  // a kernel: its overhead has begun
    bool ended = false;
    std::vector<uint32_t> dependents;
  };
  struct Host {
    double now = 0;
    uint32_t waited_for = kNone;
  };
  // A time and an operation; the earliest first, of these the first that was issued.
  using Moment = std::pair<double, uint32_t>;
  using Moments = std::priority_queue<Moment, std::vector<Moment>, std::greater<>>;
  struct Engine {
    Moments waiting;
    uint32_t running = kNone;
    uint32_t last = kNone;  // that ended
    double left_ns = 0;     // of the running one, alone
    double since = 0;       // when that was so
    double share = 1;       // of its speed that it has had since
    double free_at = 0;     // when it ends, if nothing changes
    double last_end = 0;
  };

  [[nodiscard]] double gap(const State& from, const State& to) const;
  void depend(uint32_t name, uint32_t on);
  void arrive(uint32_t name, double now);
  void serve(Engine& engine, double now);
  void share_link(double now);
  void ends(uint32_t name, double now);
  void take_kernels();
  bool step();  // false: nothing is left to happen

  Numbers numbers_;
  std::vector<State> states_;
  std::vector<Span> spans_;
  std::map<uint32_t, Host> hosts_;
  Moments arrivals_;
  std::array<Engine, kKinds> engines_;
  Multiprocessors multiprocessors_;
  double now_ = 0;
};

// When each operation runs, by its place.
[[nodiscard]] std::vector<Span> time_line(const std::vector<Operation>& operations, const Numbers& numbers);

}  // namespace drywarp::timeline
