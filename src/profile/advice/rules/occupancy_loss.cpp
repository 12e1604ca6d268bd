// Fewer warps are resident than fit.
#include <fmt/format.h>

#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kOccupancyLoss = 10;  // points below the theoretical occupancy

}  // namespace

std::optional<Finding> occupancy_loss(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  // What saturates a unit has warps enough.
  if (facts.verdict && facts.verdict->saturated) return std::nullopt;
  if (!f.theoretical_occupancy || !f.achieved_occupancy ||
      *f.theoretical_occupancy - *f.achieved_occupancy <= kOccupancyLoss)
    return std::nullopt;
  Finding finding;
  finding.headline = "even out the work of warps and blocks";
  finding.observation =
      fmt::format("achieved occupancy is {:.1f} %, of {:.1f} % in theory: blocks or warps are uneven, or too few",
                  *f.achieved_occupancy, *f.theoretical_occupancy);
  finding.evidence = {{"sm__maximum_warps_per_active_cycle_pct", *f.theoretical_occupancy, "%"},
                      {"sm__warps_active.avg.pct_of_peak_sustained_active", *f.achieved_occupancy, "%"}};
  return finding;
}

}  // namespace drywarp::advice
