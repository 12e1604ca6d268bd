#include "cuda/streams/backlog.h"

#include <algorithm>

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
  wait_until([&] {
    if (std::ranges::all_of(works, [](const Ticket& work) { return work->done.load(); })) return true;
    give_up_stuck();
    return false;
  });
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
