// Processes that run at the same time, each with limits: one that crashes, hangs or takes all memory ends alone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/support/result.h"

namespace drywarp::sweep {

struct Limits {
  double seconds = 0;  // of a process; 0: none
  uint64_t bytes = 0;  // resident, of a process and those that it starts; 0: none
};

struct Ended {
  size_t row = 0;  // as start() got it
  int exit_code = 0;
  int signal = 0;  // 0: it exited
  bool timed_out = false, over_memory = false;
  double seconds = 0;  // that it ran
};

// Each process has a group of its own, which is killed as a whole. The kernel kills the processes if this one dies; the
// destructor does, too.
class Pool {
 public:
  explicit Pool(Limits limits) : limits_(limits) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Standard output and error go to `log`; standard input is empty.
  Status start(size_t row, const std::vector<std::string>& arguments, const std::string& log);
  [[nodiscard]] size_t running() const { return running_.size(); }
  // Those that have ended; waits a few milliseconds for one.
  [[nodiscard]] std::vector<Ended> ended();

 private:
  using Clock = std::chrono::steady_clock;
  struct Process {
    pid_t pid = -1;
    size_t row = 0;
    Clock::time_point since;
    bool timed_out = false, over_memory = false;
  };
  void hold_to_limits();

  Limits limits_;
  std::vector<Process> running_;
  Clock::time_point checked_{};
};

}  // namespace drywarp::sweep
