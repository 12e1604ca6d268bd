// Work that was issued and is not done. Nearly everything runs when it is issued, in the thread that issues it, so that
// nearly always there is none. What may wait for the host (a kernel that polls memory, a host function) runs in a
// thread of its own: the issuing thread waits for it, and goes on when it has done nothing but wait for a while. What
// is ordered behind it then queues here, and begins when everything before it is done.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device/error.h"
#include "cuda/launch/operation.h"

namespace drywarp::cuda {

struct Stream;
struct Work;
using Ticket = std::shared_ptr<Work>;
using SessionLock = std::unique_lock<std::recursive_mutex>;

struct Work {
  Stream* stream = nullptr;
  Operation operation;
  std::string range;           // NVTX ranges that were open when it was issued
  std::vector<Ticket> behind;  // what must be done first
  bool begun = false;
  std::atomic<bool> done{false};  // set with the lock
  bool left = false;              // the issuing thread has gone on
  Error error = Error::Success;
  std::thread::id thread;
  std::optional<std::chrono::steady_clock::time_point> host_code;  // since when it is in a function of the program's
  std::atomic<bool> waits{false};  // has done nothing but wait for a while; may be set without the lock
};

// Every member function is called with the session's lock held, once; those that wait give it up meanwhile.
class Backlog {
 public:
  // Runs the work's operation in the calling thread; may give the lock up meanwhile.
  using Run = std::function<Error(Work&, SessionLock&)>;
  Backlog(std::recursive_mutex& mutex, Run run) : mutex_(mutex), run_(std::move(run)) {}
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;
  ~Backlog();  // without the lock; waits for what is left

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  // Work that is not done, in order of issue, but for what the calling thread itself runs.
  template <class Predicate>
  [[nodiscard]] std::vector<Ticket> which(Predicate&& predicate) const {
    std::vector<Ticket> out;
    for (const Ticket& work : pending_)
      if (work->thread != std::this_thread::get_id() && predicate(*work)) out.push_back(work);
    return out;
  }

  // Begins the work if it is behind nothing, and then waits until it is done or only waits itself. The error is that of
  // work which is done; that of any other is found by take_late_error().
  Error add(Ticket work);
  void wait(const std::vector<Ticket>& works);
  // The first error of work whose issuer had gone on, once.
  Error take_late_error() { return std::exchange(late_error_, Error::Success); }

 private:
  void begin(const Ticket& work);
  void attend(Ticket work);  // a thread's life
  void run(const Ticket& work, SessionLock& hold);
  template <class Done>
  void wait_until(Done&& done);

  std::recursive_mutex& mutex_;
  Run run_;
  std::vector<Ticket> pending_;
  std::condition_variable_any changed_;
  // Threads are kept: a program may launch thousands of kernels that could wait and do not.
  std::vector<Ticket> handed_out_;  // to threads that wait for it
  std::condition_variable_any handed_;
  std::atomic<bool> anything_handed_out_{false};
  unsigned threads_ = 0, resting_ = 0;
  bool closing_ = false;
  Error late_error_ = Error::Success;
};

}  // namespace drywarp::cuda
