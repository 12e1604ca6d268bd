// Races in shared and global memory: two threads access the same bytes, one writes, and nothing orders them. Inside a
// block that is judged by what orders accesses (barriers, named barriers, __syncwarp(), barrier objects, fences with
// atomics), never by the order that happened: a race is found whichever warp ran first. Threads of one warp are not in
// step: since Volta, only a __syncwarp() orders them; a shuffle or a vote orders no memory. Between blocks nothing
// orders accesses; a launch whose blocks order each other, by fences, acquires or releases, is not judged between
// blocks.
//
// Not modelled: an asynchronous copy counts as a write where it is issued. Atomics,
// volatile accesses and those that are relaxed or stronger do not race with each other. Memory that a kernel allocates
// is not looked at.
#pragma once

#include "engine/check/check.h"
#include "engine/check/global_accesses.h"

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
            .fences = true,
            .heap = true};
  }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;

 protected:
  [[nodiscard]] std::vector<Finding> between_blocks(uint64_t end) const override;

 private:
  GlobalAccesses accesses_;
};

}  // namespace drywarp::check
