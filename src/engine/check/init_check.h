// Reads of memory that nothing has written, per byte: global memory since its allocation, by copies of the host and by
// every launch; a block's shared memory since the block began. Hardware has what was there before.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

class InitCheck : public Check {
 public:
  using Check::Check;
  [[nodiscard]] RunEvents events() const override { return {.accesses = true}; }
  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
};

}  // namespace drywarp::check
