// Fewer warps are resident than fit, and no other rule names the cause.
#include <fmt/format.h>

#include <cmath>

#include "profile/advice/rules/rules.h"
#include "profile/advice/rules/uneven.h"

namespace drywarp::advice {
namespace {

constexpr double kKnownEven = 90;  // percent: as uneven_warps and uneven_blocks

constexpr double kPoints = 10;  // of occupancy: the loss that uneven.h asks about

bool explains(double points) { return points > kPoints; }

bool has_partial_wave(const LimiterFacts& f) { return f.waves && *f.waves != std::floor(*f.waves) && !f.all_waves; }

}  // namespace

std::optional<Finding> occupancy_loss(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  if (!loses_occupancy(facts) || small_grid(facts) || tail(facts)) return std::nullopt;
  if (uneven_warps(facts) || uneven_blocks(facts)) return std::nullopt;
  Finding finding;
  finding.evidence = {{"sm__maximum_warps_per_active_cycle_pct", *f.theoretical_occupancy, "%"},
                      {"sm__warps_active.avg.pct_of_peak_sustained_active", *f.achieved_occupancy, "%"}};
  finding.observation = fmt::format("achieved occupancy is {:.1f} %, of {:.1f} % in theory: ", *f.achieved_occupancy,
                                    *f.theoretical_occupancy);
  const double unfilled = f.waves && !f.all_waves ? (1 - *f.waves) * *f.theoretical_occupancy : 0;
  if (explains(unfilled)) {
    finding.headline = "launch more blocks: they do not fill the device once";
    finding.observation += fmt::format("the grid has {:.0f} % of the blocks that fit at once", 100 * *f.waves);
    finding.cure = "Give each block less work, or launch independent kernels beside it in other streams.";
    finding.evidence.push_back({"launch__waves_per_multiprocessor", *f.waves, "wave"});
    return finding;
  }
  // Known to be even: short blocks and the start of the kernel cost the rest, and no rule helps that.
  if (facts.balance && facts.balance->warps >= kKnownEven && facts.balance->blocks >= kKnownEven) return std::nullopt;
  finding.headline = "even out the work of warps and blocks";
  finding.observation += has_partial_wave(f) ? "blocks or warps are uneven, or the last wave is partial"
                                             : "blocks or warps are uneven, or too few";
  return finding;
}

}  // namespace drywarp::advice
