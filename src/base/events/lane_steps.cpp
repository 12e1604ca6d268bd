#include "base/events/lane_steps.h"

#include <bit>

namespace drywarp {

std::optional<int64_t> lane_step(const AccessSample& sample) {
  const auto first = static_cast<unsigned>(std::countr_zero(sample.lanes));
  std::optional<int64_t> step;
  for (unsigned lane = first + 1; lane < kWarpSize; ++lane) {
    if ((sample.lanes >> lane & 1) == 0) continue;
    const auto distance = static_cast<int64_t>(sample.addresses[lane] - sample.addresses[first]);
    if (distance % (lane - first) != 0) return std::nullopt;
    const int64_t here = distance / static_cast<int64_t>(lane - first);
    if (step.value_or(here) != here) return std::nullopt;
    step = here;
  }
  return step;
}

std::optional<StepTrial> find_longer_step(const AccessSample& sample) {
  const std::optional<int64_t> step = lane_step(sample);
  const auto element = static_cast<int64_t>(sample.size);
  const SharedAccess now = analyze_shared(sample.addresses.data(), sample.lanes, sample.size, sample.op, sample.banks);
  if (!step || *step <= element || now.wavefronts <= now.ideal_wavefronts) return std::nullopt;
  std::optional<StepTrial> best;
  const auto first = static_cast<unsigned>(std::countr_zero(sample.lanes));
  for (uint32_t more = 1; more <= sample.banks.count; ++more) {
    const int64_t longer = *step + more * element;
    std::array<uint64_t, kWarpSize> addresses = sample.addresses;
    for (unsigned lane = first; lane < kWarpSize; ++lane)
      addresses[lane] = sample.addresses[first] + static_cast<uint64_t>(longer) * (lane - first);
    const SharedAccess tried = analyze_shared(addresses.data(), sample.lanes, sample.size, sample.op, sample.banks);
    if (tried.wavefronts < (best ? best->wavefronts : now.wavefronts)) best = StepTrial{longer, more, tried.wavefronts};
  }
  return best;
}

}  // namespace drywarp
