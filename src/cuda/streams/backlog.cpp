#include "cuda/streams/backlog.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace drywarp::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPollInterval =
    std::chrono::milliseconds(5);  // interval for polling flags that are set without the lock
constexpr auto kHostFunctionWait =
    std::chrono::milliseconds(20);  // how long the issuing thread waits for a host function

// Spins briefly before sleeping: a sleep and a wake-up take longer than most kernels.
template <class Predicate>
void spin_until(SessionLock& hold, Predicate&& done) {
  constexpr auto kSpinTime = std::chrono::microseconds(50);
  hold.unlock();
  for (const auto until = Clock::now() + kSpinTime; !done() && Clock::now() < until;) std::this_thread::yield();
  hold.lock();
}

// Whether the thread of this process waits for something.
bool sleeps(pid_t thread) {
  std::ifstream file(fmt::format("/proc/self/task/{}/stat", thread));
  std::string all;
  std::getline(file, all);
  const size_t name_end = all.rfind(')');  // "17 (a name) S 1 ..."
  return name_end == std::string::npos || all.compare(name_end, 3, ") S") == 0;
}

bool issuer_may_continue(const Work& work) {
  return work.waits || (work.host_code && Clock::now() - *work.host_code > kHostFunctionWait);
}

}  // namespace

Backlog::~Backlog() {
  SessionLock hold(mutex_);
  closing_ = true;
  ready_changed_.notify_all();
  changed_.wait(hold, [&] { return threads_ == 0; });
}

template <class Done>
void Backlog::wait_until(Done&& done) {
  SessionLock hold(mutex_, std::adopt_lock);
  while (!done()) changed_.wait_for(hold, kPollInterval);
  hold.release();  // the caller still holds the lock
}

Error Backlog::add(Ticket work) {
  if (work->late) work->issuing_thread = ::gettid(), work->waits = true;
  pending_.push_back(work);
  if (work->dependencies.empty()) {
    begin(work);
    SessionLock hold(mutex_, std::adopt_lock);
    spin_until(hold, [&] { return work->done || work->waits; });
    hold.release();
    wait_until([&] { return work->done || issuer_may_continue(*work); });
  }
  work->issuer_continued = !work->done;
  return work->error;
}

void Backlog::wait(const std::vector<Ticket>& works) {
  for (const Ticket& work : works) want(work);
  wait_until([&] {
    if (std::ranges::all_of(works, [](const Ticket& work) { return work->done.load(); })) return true;
    give_up_stuck();
    return false;
  });
}

void Backlog::want(const Ticket& work) {
  if (std::exchange(work->wanted, true)) return;
  for (const Ticket& before : work->dependencies) want(before);
  changed_.notify_all();
}

// The program may learn by its own means that a host function has run. So it runs all the same when the thread that has
// issued it does nothing but wait, or has issued nothing for long.
void Backlog::wait_until_wanted(const Work& work, SessionLock& hold) {
  constexpr auto kAsleep = std::chrono::milliseconds(50);
  constexpr auto kAtWork = std::chrono::seconds(1);
  uint64_t issued = issued_;
  auto awake = Clock::now(), active = awake;
  while (!work.wanted && !closing_) {
    changed_.wait_for(hold, kPollInterval);
    const auto now = Clock::now();
    if (std::exchange(issued, issued_) != issued_) awake = active = now;
    if (!sleeps(work.issuing_thread)) awake = now;
    if (now - awake > kAsleep || now - active > kAtWork) return;
  }
}

// The host waits: if all work that has begun waits, too, all of it waits for ever.
void Backlog::give_up_stuck() {
  const auto runs = [](const Ticket& work) { return work->begun && !work->stuck; };
  if (std::ranges::any_of(pending_, runs)) return;
  for (const Ticket& work : pending_)
    if (work->stuck) work->hopeless = true;
}

void Backlog::begin(const Ticket& work) {
  work->begun = true;
  if (idle_threads_ > ready_.size()) {
    ready_.push_back(work);
    has_ready_ = true;
    ready_changed_.notify_one();
    return;
  }
  std::thread([this, work] { run_thread(work); }).detach();
  ++threads_;
}

void Backlog::run_thread(Ticket work) {
  SessionLock hold(mutex_);
  for (;;) {
    run(work, hold);
    work.reset();
    ++idle_threads_;
    spin_until(hold, [&] { return has_ready_.load(); });
    ready_changed_.wait(hold, [&] { return closing_ || !ready_.empty(); });
    --idle_threads_;
    if (ready_.empty()) break;
    work = std::move(ready_.back());
    ready_.pop_back();
    has_ready_ = !ready_.empty();
  }
  --threads_;
  changed_.notify_all();
}

void Backlog::run(const Ticket& work, SessionLock& hold) {
  work->thread = std::this_thread::get_id();
  work->dependencies.clear();
  if (work->late) wait_until_wanted(*work, hold);
  try {
    work->error = run_(*work, hold);
  } catch (const std::bad_alloc&) {
    work->error = Error::MemoryAllocation;
  } catch (...) {
    work->error = Error::Unknown;
  }
  if (!hold.owns_lock()) hold.lock();
  work->done = true;
  work->operation = EmptyOperation{};
  if (work->issuer_continued && late_error_ == Error::Success) late_error_ = work->error;
  std::erase(pending_, work);
  for (const Ticket& next : pending_)
    if (!next->begun &&
        std::ranges::all_of(next->dependencies, [](const Ticket& before) { return before->done.load(); }))
      begin(next);
  changed_.notify_all();
}

}  // namespace drywarp::cuda
