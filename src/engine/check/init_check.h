// Values of memory that nothing has written, per byte, where they steer a branch, become an address or are stored: of
// global memory and the device's heap since it was allocated, by copies of the host and by every launch; of a block's
// shared memory and a thread's local memory since the block began. Hardware has what was there before.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

class InitCheck : public Check {
 public:
  using Check::Check;
  [[nodiscard]] RunEvents events() const override { return {.accesses = true, .flows = true, .parts = true}; }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
};

}  // namespace drywarp::check
