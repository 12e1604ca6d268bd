// Races in shared memory: two threads of a block access the same bytes, one writes, and nothing orders them. Judged by
// what orders accesses (barriers, named barriers, __syncwarp() and the masks of exchanges, barrier objects, fences with
// atomics), never by the order that happened: a race is found whichever warp ran first. Threads of one warp are not in
// step: since Volta, only a __syncwarp() orders them.
//
// Not modelled: an asynchronous copy counts as a write where it is issued. Atomics and accesses that are relaxed or
// stronger do not race with each other.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

class RaceCheck : public Check {
 public:
  using Check::Check;
  [[nodiscard]] RunEvents events() const override {
    return {.accesses = true,
            .barriers = true,
            .values = true,
            .outcomes = true,
            .warp_syncs = true,
            .mbarriers = true,
            .fences = true};
  }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
};

}  // namespace drywarp::check
