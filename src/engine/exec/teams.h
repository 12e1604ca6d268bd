// The threads of the host that run blocks, and what they keep from launch to launch: stacks, and the device's clock.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/events/counts.h"
#include "engine/exec/blocks/warp.h"
#include "engine/exec/blocks/worker_threads.h"

namespace drywarp::exec {

class Teams {
 public:
  explicit Teams(unsigned workers) : workers_(workers) {}
  [[nodiscard]] unsigned workers() const { return workers_; }

  // The threads that run a launch's blocks. One launch at a time has them; a concurrent launch runs on its own thread.
  class Claim {
   public:
    Claim(Teams& teams, unsigned wanted);
    ~Claim();
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    [[nodiscard]] unsigned workers() const { return workers_; }
    [[nodiscard]] bool alone() const { return alone_; }  // no other launch ran when this one began

   private:
    Teams& teams_;
    unsigned workers_ = 1;
    bool alone_ = true;
  };

  // Runs the launch's blocks [next_block, end_block) with a team of so many. Adds what they counted.
  void run(Launch& launch, unsigned team, LaunchCounts& counts);

 private:
  using Fibers = std::vector<std::vector<std::unique_ptr<Fiber>>>;

  const unsigned workers_;
  std::unique_ptr<WorkerThreads> threads_;
  std::mutex mutex_;      // of what follows
  unsigned running_ = 0;  // launches
  bool threads_taken_ = false;
  uint64_t clock_ = 0;  // of the device, after the launches so far
  Fibers fibers_;       // a worker: stacks for its next launch; a launch takes them all
};

}  // namespace drywarp::exec
