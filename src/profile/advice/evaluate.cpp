#include "profile/advice/evaluate.h"

#include <algorithm>
#include <vector>

namespace drywarp::advice {
namespace {

std::optional<Range> range(std::span<const LaunchSize> launches, double LaunchSize::* size) {
  const auto [least, most] = std::ranges::minmax(launches, {}, size);
  const Range range{least.*size, most.*size};
  return range.is_one() ? std::nullopt : std::optional(range);
}

// The grid of an actual launch, not a mean of two.
double median_blocks(std::span<const LaunchSize> launches) {
  std::vector<LaunchSize> sorted(launches.begin(), launches.end());
  const auto middle = sorted.begin() + std::ptrdiff_t((sorted.size() - 1) / 2);
  std::ranges::nth_element(sorted, middle, {}, &LaunchSize::blocks);
  return middle->blocks;
}

}  // namespace

std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                  std::span<const LaunchSize> launches) {
  if (!facts.time) return std::nullopt;
  LimiterFacts read = read_facts([&](const std::string& name) {
    const metrics::Metric* metric = metrics::find_metric(name);
    return metric ? metric->evaluate(sums, facts) : std::nullopt;
  });
  if (!launches.empty()) {
    read.launches = launches.size();
    read.blocks = median_blocks(launches);
    read.all_blocks = range(launches, &LaunchSize::blocks);
    read.all_waves = range(launches, &LaunchSize::waves);
  }
  return find_limiter(read);
}

}  // namespace drywarp::advice
