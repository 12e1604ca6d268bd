#include "engine/exec/blocks/idle_backoff.h"

#include <thread>
#include <utility>

namespace drywarp::exec {
namespace {

// Long enough for blocks that wait for each other, too short for a person to notice.
constexpr auto kGracePeriod = std::chrono::milliseconds(20);
// The host has so long to end it. In loops that do more than read, as one of compare-and-swaps does, longer: of what
// they do, only what changes memory counts.
constexpr auto kStuck = std::chrono::seconds(2), kStuckInOthers = std::chrono::seconds(5);
constexpr unsigned kStuckRounds = 100;                // at least: each warp has gone round its loop
constexpr auto kNap = std::chrono::microseconds(20);  // leaves the core to the awaited thread

}  // namespace

void IdleBackoff::stop_watching() {
  if (!std::exchange(attempts_.watched, false)) return;
  attempts_.changed = false;
  attempts_.left.clear();
}

void IdleBackoff::reset() {
  waiting_ = false;
  stop_watching();
  if (std::exchange(stuck_, false)) (*launch_.stuck)(false);
}

bool IdleBackoff::wait(bool only_waited, bool goes_on) {
  const auto now = std::chrono::steady_clock::now();
  if (!std::exchange(waiting_, true)) since_ = stuck_since_ = now, rounds_ = 0;
  if (goes_on) stop_watching();
  if (std::exchange(attempts_.changed, false)) goes_on = true;
  if (goes_on) stuck_since_ = now, rounds_ = 0;
  ++rounds_;
  if (now - since_ < kGracePeriod) return false;
  attempts_.watched = launch_.stuck != nullptr;
  if (launch_.waits && !launch_.reported_waiting.exchange(true)) (*launch_.waits)();
  // Blocks of other workers may go on.
  const bool alone = launch_.running.load(std::memory_order_relaxed) == 1;
  if (launch_.stuck && alone && rounds_ > kStuckRounds &&
      now - stuck_since_ > (only_waited ? kStuck : kStuckInOthers)) {
    stuck_ = true;
    if ((*launch_.stuck)(true)) return true;
  }
  if (!only_waited) return false;
  if (launch_.abandoned->load(std::memory_order_relaxed))
    launch_.given_up = true;
  else
    std::this_thread::sleep_for(kNap);
  return false;
}

}  // namespace drywarp::exec
