// Blocks so small that a multiprocessor runs out of block slots before it runs out of anything else.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kWarp = 32;

}  // namespace

std::optional<Finding> block_size(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  const auto threads = facts.metric("launch__block_size");
  if (!threads || !f.limit_blocks || !f.limit_warps || !f.limit_registers || !f.limit_shared) return std::nullopt;
  const double others = std::min({*f.limit_warps, *f.limit_registers, *f.limit_shared});
  if (*f.limit_blocks >= others) return std::nullopt;
  // A grid that does not fill these slots needs no more of them.
  if (f.waves && *f.waves < kOneWave) return std::nullopt;
  const double warps = std::ceil(*threads / kWarp), most_warps = *f.limit_warps * warps;
  const double enough = kWarp * std::ceil(most_warps / *f.limit_blocks);
  const bool is_full = *f.limit_registers * warps >= most_warps;  // per warp, registers stay as they are
  Finding finding;
  finding.headline = fmt::format("launch blocks of {:.0f} threads or more", enough);
  finding.observation = fmt::format(
      "a multiprocessor holds {:.0f} blocks, of {:.0f} threads here: {:.0f} of its {:.0f} warps; its registers and "
      "shared "
      "memory have room for more",
      *f.limit_blocks, *threads, *f.limit_blocks * warps, most_warps);
  finding.cure = fmt::format("{:.0f} threads are the smallest block {}; 128 to 256 are a good first try.", enough,
                             is_full ? "with full occupancy" : "that block slots do not limit");
  finding.without_gain = "larger blocks";
  add_evidence(finding, facts, "launch__block_size", "thread");
  add_evidence(finding, facts, "launch__occupancy_limit_blocks", "block");
  return finding;
}

}  // namespace drywarp::advice
