// The facts of one launch, as soon as it was timed.
#pragma once

#include <span>

#include "profile/advice/facts.h"

namespace drywarp::advice {

struct LaunchInput {
  const KernelInfo* kernel = nullptr;
  const LaunchCounts* counts = nullptr;
  const sm::LaunchTime* time = nullptr;  // null: not modelled
  record::Extent grid, block;
  uint32_t dynamic_shared_bytes = 0;
  std::span<const AccessSample> samples;
};
// What `input` points to must outlive the facts.
[[nodiscard]] Facts facts_of(const LaunchInput& input);

}  // namespace drywarp::advice
