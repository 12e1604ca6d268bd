// How far a launch is, for a display.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace drywarp::exec {

struct Progress {
  enum class Phase : uint8_t { Compiling, Running, Timing };  // Timing: modelling how long it takes on the GPU
  Phase phase = Phase::Running;
  std::string kernel;                          // its display name
  uint64_t blocks_done = 0, blocks_total = 0;  // while it runs
  double seconds = 0;                          // since the phase began
};
// Called from a thread of the teller's own, at most a few times a second.
using TellProgress = std::function<void(const Progress&)>;

// Tells the display how far something is for as long as it lives; nothing of what ends soon.
class ProgressTeller {
 public:
  // `look`: the progress now, but for `seconds`; called from the teller's thread. `tell` may be empty.
  ProgressTeller(const TellProgress& tell, std::function<Progress()> look);
  ~ProgressTeller();
  ProgressTeller(const ProgressTeller&) = delete;
  ProgressTeller& operator=(const ProgressTeller&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace drywarp::exec
