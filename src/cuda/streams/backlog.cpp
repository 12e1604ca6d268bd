#include "cuda/streams/backlog.h"

#include <algorithm>

namespace drywarp::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(5);  // how often flags are looked at that are set without the lock
constexpr auto kPatience = std::chrono::milliseconds(20);  // with a host function that waits for another thread

// Falling asleep and waking up take longer than most kernels: looks for a while before.
template <class Come>
void look_out(SessionLock& hold, Come&& come) {
  constexpr auto kShort = std::chrono::microseconds(50);
  hold.unlock();
  for (const auto until = Clock::now() + kShort; !come() && Clock::now() < until;) std::this_thread::yield();
  hold.lock();
}

bool lets_host_go(const Work& work) {
  return work.waits || (work.host_code && Clock::now() - *work.host_code > kPatience);
}

}  // namespace

Backlog::~Backlog() {
  SessionLock hold(mutex_);
  closing_ = true;
  handed_.notify_all();
  changed_.wait(hold, [&] { return threads_ == 0; });
}

template <class Done>
void Backlog::wait_until(Done&& done) {
  SessionLock hold(mutex_, std::adopt_lock);
  while (!done()) changed_.wait_for(hold, kLook);
  hold.release();  // still the caller's
}

Error Backlog::add(Ticket work) {
  pending_.push_back(work);
  if (work->behind.empty()) {
    begin(work);
    SessionLock hold(mutex_, std::adopt_lock);
    look_out(hold, [&] { return work->done || work->waits; });
    hold.release();
    wait_until([&] { return work->done || lets_host_go(*work); });
  }
  work->left = !work->done;
  return work->error;
}

void Backlog::wait(const std::vector<Ticket>& works) {
  wait_until([&] { return std::ranges::all_of(works, [](const Ticket& work) { return work->done.load(); }); });
}

void Backlog::begin(const Ticket& work) {
  work->begun = true;
  if (resting_ > handed_out_.size()) {
    handed_out_.push_back(work);
    anything_handed_out_ = true;
    handed_.notify_one();
    return;
  }
  std::thread([this, work] { attend(work); }).detach();
  ++threads_;
}

void Backlog::attend(Ticket work) {
  SessionLock hold(mutex_);
  for (;;) {
    run(work, hold);
    work.reset();
    ++resting_;
    look_out(hold, [&] { return anything_handed_out_.load(); });
    handed_.wait(hold, [&] { return closing_ || !handed_out_.empty(); });
    --resting_;
    if (handed_out_.empty()) break;
    work = std::move(handed_out_.back());
    handed_out_.pop_back();
    anything_handed_out_ = !handed_out_.empty();
  }
  --threads_;
  changed_.notify_all();
}

void Backlog::run(const Ticket& work, SessionLock& hold) {
  work->thread = std::this_thread::get_id();
  work->behind.clear();
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
  if (work->left && late_error_ == Error::Success) late_error_ = work->error;
  std::erase(pending_, work);
  for (const Ticket& next : pending_)
    if (!next->begun && std::ranges::all_of(next->behind, [](const Ticket& before) { return before->done.load(); }))
      begin(next);
  changed_.notify_all();
}

}  // namespace drywarp::cuda
