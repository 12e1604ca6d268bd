// Times of launches within their program, where the L2 holds what earlier launches and copies left in it. The report
// has a launch's time with cold caches, as ncu does; the program's time line has this one.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "base/events/warp_trace.h"
#include "model/memory/held_lines.h"
#include "model/sm/summary.h"

namespace drywarp::cuda {

class ProgramTimes {
 public:
  using Time = std::shared_ptr<const sm::LaunchTime>;

  explicit ProgramTimes(const memory::L2Parameters& l2) : lines_(l2) {}

  // What a launch finds of the lines that it touches.
  struct Start {
    bool recorded = false;  // if not, it is taken to find what the last equal launch did
    std::vector<uint64_t> held;
    unsigned eighths = 0;  // of its lines
  };
  // `trace`: null: not recorded. Then the launch touches its lines.
  Start begin(const LaunchTrace* trace);
  // A copy or a fill has written these bytes; the address as in a trace.
  void wrote(uint64_t address, uint64_t bytes) { lines_.write(address, bytes); }

  // The time of a launch that takes `alone` with cold caches. It is modelled once for each eighth of its lines that are
  // held; null: not yet, and the launch is recorded. Without held lines it is `alone`.
  [[nodiscard]] Time find(const Time& alone, const Start& start);
  void keep(const Time& alone, const Start& start, Time time);

 private:
  static constexpr unsigned kShares = 8;
  static constexpr size_t kMostKnown = 4096;  // then all are modelled again
  struct Known {
    Time alone;  // keeps the key valid
    std::array<Time, kShares + 1> by_eighths;
    unsigned last = 0;
  };
  Known& known(const Time& alone);
  memory::HeldLines lines_;
  std::map<const sm::LaunchTime*, Known> known_;
};

}  // namespace drywarp::cuda
