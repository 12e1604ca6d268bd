// Few warps fit on a multiprocessor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kLowOccupancy = 80;  // percent, theoretical
constexpr double kFull = 99.9;        // percent: from here on there is no more

// The resources that allow the fewest blocks.
std::string limits(const LimiterFacts& f) {
  const std::pair<std::optional<double>, const char*> resources[] = {{f.limit_blocks, "block slots"},
                                                                     {f.limit_registers, "registers"},
                                                                     {f.limit_shared, "shared memory"},
                                                                     {f.limit_warps, "warp slots"}};
  double fewest = 1e18;
  for (const auto& [blocks, name] : resources) fewest = std::min(fewest, blocks.value_or(fewest));
  std::vector<std::string_view> names;
  for (const auto& [blocks, name] : resources)
    if (blocks == fewest) names.emplace_back(name);
  return names.empty() ? "something unknown" : fmt::format("{}", fmt::join(names, " and "));
}

}  // namespace

std::optional<Finding> low_occupancy(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  if (!f.theoretical_occupancy || *f.theoretical_occupancy >= kFull || block_size(facts)) return std::nullopt;
  if (f.waves && *f.waves < kOneWave) return std::nullopt;  // the grid does not fill what fits already
  Finding finding;
  // Above the threshold, timing again must show that it is worth it.
  finding.needs_gain = *f.theoretical_occupancy >= kLowOccupancy;
  finding.without_gain = fmt::format("more occupancy than {:.3g} %", *f.theoretical_occupancy);
  const std::string limit = limits(f);
  finding.headline = fmt::format("raise occupancy: {} {} it", limit, limit.ends_with('s') ? "limit" : "limits");
  finding.observation =
      fmt::format("theoretical occupancy is {:.1f} %, limited by {}", *f.theoretical_occupancy, limit);
  finding.cure = "`drywarp occupancy` shows which block size, register count or shared memory lets more blocks fit.";
  finding.evidence = {{"sm__maximum_warps_per_active_cycle_pct", *f.theoretical_occupancy, "%"}};
  return finding;
}

}  // namespace drywarp::advice
