// Waiting for something outside the launch: the host, or another launch.
#include <thread>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough for blocks that wait for each other, too short for a person to notice.
constexpr auto kGracePeriod = std::chrono::milliseconds(20);
constexpr auto kNap = std::chrono::microseconds(20);  // leaves the core to the awaited thread

}  // namespace

void IdleBackoff::wait(bool only_waited) {
  const auto now = Clock::now();
  if (!std::exchange(waiting_, true)) since_ = now;
  if (now - since_ < kGracePeriod) return;
  if (launch_.waits && !launch_.reported_waiting.exchange(true)) (*launch_.waits)();
  if (!only_waited) return;
  if (launch_.abandoned->load(std::memory_order_relaxed))
    launch_.given_up = true;
  else
    std::this_thread::sleep_for(kNap);
}

}  // namespace drywarp::exec
