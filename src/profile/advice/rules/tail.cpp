// A last, partial wave of blocks. If all blocks take equally long, it takes as long as a full one. Launches with
// different grids have no common last wave.
#include <fmt/format.h>

#include <cmath>

#include "base/support/plural.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {

namespace {

constexpr double kTail = 20;  // percent of the time

}  // namespace

std::optional<Finding> tail(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  if (!f.waves || *f.waves < kOneWave || f.all_waves) return std::nullopt;
  const double full = std::floor(*f.waves), partial = *f.waves - full;
  const double share = 100 / (full + 1);
  if (partial <= 0 || share < kTail) return std::nullopt;
  Finding finding;
  finding.headline = "avoid the partial last wave of blocks";
  finding.observation = fmt::format(
      "tail: {} and a partial one of {:.0f} % of a wave's blocks, which may take up to {:.0f} % of the "
      "time",
      plural(uint64_t(full), "full wave"), 100 * partial, share);
  finding.cure = "Launch smaller blocks, or as many blocks as fit at once, each looping over the data (grid stride).";
  finding.evidence = {{"launch__waves_per_multiprocessor", *f.waves, "wave"}};
  return finding;
}

}  // namespace drywarp::advice
