#include "engine/exec/blocks/progress.h"

#include <chrono>

namespace drywarp::exec {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetween{250};

}  // namespace

ProgressTeller::ProgressTeller(const TellProgress& tell, std::function<Progress()> look) {
  if (!tell) return;
  thread_ = std::thread([this, &tell, look = std::move(look), begin = Clock::now()] {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, kBetween, [this] { return done_; })) {
      Progress now = look();
      now.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      tell(now);
    }
  });
}

ProgressTeller::~ProgressTeller() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

}  // namespace drywarp::exec
