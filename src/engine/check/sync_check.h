// Barriers of a block that some of its threads miss, misused barrier objects, and wrong masks of __syncwarp(),
// shuffles, votes and their like.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

class SyncCheck : public Check {
 public:
  explicit SyncCheck(const CheckedLaunch& launch);
  [[nodiscard]] RunEvents events() const override {
    return {.steps = guarded_, .barriers = true, .warp_syncs = true, .mbarriers = true, .exits = true};
  }

  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
  void end(std::unique_ptr<observe::BlockObserver> block) override;

 private:
  bool guarded_ = false;  // a barrier is behind a guard, at which threads may end as well as behind the barrier
};

}  // namespace drywarp::check
