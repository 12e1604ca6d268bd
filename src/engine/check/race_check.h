// Races in shared and global memory: two threads access the same bytes, one writes, and nothing orders them. That is
// judged by what orders accesses (thread_order.h), never by the order that happened: a race is found whichever warp or
// block ran first. Threads of one warp are not in step: since Volta, only a __syncwarp() orders them; a shuffle or a
// vote orders no memory. An asynchronous copy writes at any time between its issue and the wait for it.
//
// Blocks order each other by fences, releases and acquires of the device's scope. What they observe of each other is
// what the launch's own order of blocks shows them, which is the same in every run. Where it is proven that blocks do
// not meet, each is looked at alone.
#pragma once

#include "engine/check/check.h"
#include "engine/check/launch_races.h"

namespace drywarp::check {

class RaceCheck : public Check {
 public:
  explicit RaceCheck(const CheckedLaunch& launch, const RaceLimits& limits = {});
  [[nodiscard]] RunEvents events() const override {
    return {.accesses = true,
            .barriers = true,
            .values = true,
            .outcomes = true,
            .warp_syncs = true,
            .mbarriers = true,
            .fences = true,
            .copies = true,
            .exits = true,
            .heap = true,
            .parts = true};
  }
  [[nodiscard]] bool wants_order() const override { return true; }
  [[nodiscard]] bool shares_at_atomics() const override { return true; }
  void starts(const observe::BlockOrder& order) override { races_.starts(order, launch().grid()); }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;

 protected:
  [[nodiscard]] std::vector<Finding> between_blocks(uint64_t end) const override;

 private:
  LaunchRaces races_;
  std::vector<bool> of_copies_;  // by access: the read of an asynchronous copy, or an asynchronous store
  std::vector<bool> idle_;       // likewise: an atomic that leaves its words as they are
  bool locks_ = false;           // the kernel may take locks
};

}  // namespace drywarp::check
