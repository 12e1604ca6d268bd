// Pending work: issued and not done. Most operations run in the issuing thread, so the backlog is nearly always empty.
// An operation that may wait for the host (a kernel that polls memory, a host function) runs in a background thread.
// The issuing thread waits for it, but continues once the operation has only waited for a while. Later work that
// depends on it queues here, and begins when its dependencies are done.
#pragma once

#include <sys/types.h>

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
#include "engine/check/operation_order.h"

namespace drywarp::cuda {

struct Stream;
struct Work;
using Ticket = std::shared_ptr<Work>;
using SessionLock = std::unique_lock<std::recursive_mutex>;

struct Work {
  Stream* stream = nullptr;
  Operation operation;
  std::string range;                             // NVTX ranges open at the issue
  std::optional<check::OperationMoment> moment;  // with OperationChecks
  std::vector<Ticket> dependencies;              // not done yet
  uint32_t issuer = 0;                           // OperationLog's number of the issuing thread
  bool begun = false;
  std::atomic<bool> done{false};  // set with the lock held
  bool issuer_continued = false;
  Error error = Error::Success;
  std::thread::id thread;
  std::optional<std::chrono::steady_clock::time_point> host_code;  // when the running host function began
  // A host function that is to run as late as it may: with operations of other streams that come behind it.
  bool late = false;
  bool wanted = false;             // the host waits for it, or for what is behind it
  pid_t issuing_thread = 0;        // of late work
  std::atomic<bool> waits{false};  // has only waited for a while; may be set without the lock
  // Has waited for seconds, and does; the host waits, too, and nothing else runs that could end it.
  std::atomic<bool> stuck{false}, hopeless{false};
};

// Call every member function with the session's lock held exactly once. Functions that wait release it meanwhile.
class Backlog {
 public:
  // Runs the work's operation in the calling thread; may release the lock meanwhile.
  using Run = std::function<Error(Work&, SessionLock&)>;
  Backlog(std::recursive_mutex& mutex, Run run) : mutex_(mutex), run_(std::move(run)) {}
  Backlog(const Backlog&) = delete;
  Backlog& operator=(const Backlog&) = delete;
  ~Backlog();  // call without the lock; waits for all threads

  [[nodiscard]] bool empty() const { return pending_.empty(); }
  // Pending work that matches, in order of issue, without work that the calling thread itself runs.
  template <class Predicate>
  [[nodiscard]] std::vector<Ticket> select(Predicate&& predicate) const {
    std::vector<Ticket> out;
    for (const Ticket& work : pending_)
      if (work->thread != std::this_thread::get_id() && predicate(*work)) out.push_back(work);
    return out;
  }

  // The program issues an operation, whether it comes here or not.
  void note_issue() { ++issued_; }
  // Begins work without dependencies, and waits until it is done or only waits for the host. Returns the error of work
  // that is done; take_late_error() returns the others.
  Error add(Ticket work);
  void wait(const std::vector<Ticket>& works);
  // The host asks for the work: what is late of it, and of what it depends on, begins.
  void want(const Ticket& work);
  // The first error of work whose issuing thread had continued; returned once.
  Error take_late_error() { return std::exchange(late_error_, Error::Success); }

 private:
  void begin(const Ticket& work);
  void give_up_stuck();
  void run_thread(Ticket work);  // the main function of a thread
  void run(const Ticket& work, SessionLock& hold);
  void wait_until_wanted(const Work& work, SessionLock& hold);
  template <class Done>
  void wait_until(Done&& done);

  std::recursive_mutex& mutex_;
  Run run_;
  std::vector<Ticket> pending_;
  std::condition_variable_any changed_;
  // Threads are reused: a program may launch thousands of kernels that could wait and do not.
  std::vector<Ticket> ready_;  // no idle thread has taken it yet
  std::condition_variable_any ready_changed_;
  std::atomic<bool> has_ready_{false};
  unsigned threads_ = 0, idle_threads_ = 0;
  bool closing_ = false;
  uint64_t issued_ = 0;
  Error late_error_ = Error::Success;
};

}  // namespace drywarp::cuda
