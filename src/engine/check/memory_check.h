// Accesses that lanes may not make: out of bounds, misaligned, through null or host pointers or addresses of another
// memory, to freed or constant memory; and free() of what malloc() did not give. The engine checks every access anyway,
// so a launch costs what it costs without this check.
#pragma once

#include "engine/check/check.h"

namespace drywarp::check {

class MemoryCheck : public Check {
 public:
  using Check::Check;
  [[nodiscard]] RunEvents events() const override { return {.heap = true, .denials = true}; }

  std::unique_ptr<observe::BlockObserver> begin(uint64_t block) override;
};

}  // namespace drywarp::check
