// Warps that wait for each other.
#include <fmt/format.h>

#include "base/support/plural.h"
#include "profile/advice/rules/hot_spots.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kMostOfTheTime = 30;  // percent of a warp's states

}  // namespace

std::optional<Finding> barriers(const Facts& facts) {
  double all = 0;
  for (const auto& warps : facts.limiter.stalls) all += warps.value_or(0);
  const double waiting = facts.limiter.stalls[unsigned(sm::Stall::Barrier)].value_or(0);
  if (all <= 0 || 100 * waiting < kMostOfTheTime * all) return std::nullopt;
  Finding finding;
  const auto cycles = [](const InstructionFacts& i) {
    return i.info->barrier ? i.time.stalls[unsigned(sm::Stall::Barrier)] : 0;
  };
  double total = 0;
  for (const InstructionFacts& i : facts.instructions) total += cycles(i);
  finding.lines = hot_lines(facts, {cycles, "the waiting at barriers", total, [](const metrics::Sums& s) {
                                      return fmt::format("warps wait at {}", plural(s.barriers, "barrier"));
                                    }});
  finding.headline = "meet less often at barriers";
  finding.observation = fmt::format("{:.0f} % of a warp's time is waiting at barriers", 100 * waiting / all);
  finding.cure =
      "Give each thread more work between two barriers (coarsen, or add several elements while loading). Let the last "
      "warp "
      "finish alone, with __syncwarp() or __shfl_down_sync(). Smaller blocks let other blocks run meanwhile.";
  finding.evidence = {{"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", waiting, "warp"}};
  return finding;
}

}  // namespace drywarp::advice
