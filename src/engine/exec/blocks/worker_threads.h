// The threads that a launch's workers run on, kept from one launch to the next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace drywarp::exec {

class WorkerThreads {
 public:
  explicit WorkerThreads(unsigned count);
  ~WorkerThreads();

  // Calls body(0), ..., body(count - 1), each on some thread, and returns when all have returned. One call at a time.
  void run(size_t count, const std::function<void(size_t)>& body);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;
};

}  // namespace drywarp::exec
