// Waiting for what does not come from the launch itself: the host, which goes on meanwhile, or another launch.
#include <thread>

#include "engine/exec/blocks/warp.h"

namespace drywarp::exec {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough that blocks which wait for each other have met, and short beside what a person notices.
constexpr auto kPatience = std::chrono::milliseconds(20);
constexpr auto kNap = std::chrono::microseconds(20);  // leaves the core to whoever is waited for

}  // namespace

void Patience::idle(bool only_waited) {
  const auto now = Clock::now();
  if (!std::exchange(waiting_, true)) since_ = now;
  if (now - since_ < kPatience) return;
  if (launch_.waits && !launch_.said_to_wait.exchange(true)) (*launch_.waits)();
  if (!only_waited) return;
  if (launch_.abandoned->load(std::memory_order_relaxed))
    launch_.given_up = true;
  else
    std::this_thread::sleep_for(kNap);
}

}  // namespace drywarp::exec
