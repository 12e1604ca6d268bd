// Warps of a block that run different numbers of instructions: the block keeps its slot until the longest ends.
#include <fmt/format.h>

#include "profile/advice/rules/rules.h"
#include "profile/advice/rules/uneven.h"

namespace drywarp::advice {
namespace {

constexpr double kEvenWarps = 90;   // percent: a block's mean warp, of its longest
constexpr double kStallShare = 30;  // percent of the stalls at barriers

bool waits_at_barriers(const LimiterFacts& f) {
  double all = 0;
  for (const auto& warps : f.stalls) all += warps.value_or(0);
  const auto barrier = f.stalls[unsigned(sm::Stall::Barrier)];
  return all > 0 && barrier && 100 * *barrier >= kStallShare * all;
}

}  // namespace

std::optional<Finding> uneven_warps(const Facts& facts) {
  if (!facts.balance || facts.balance->warps >= kEvenWarps) return std::nullopt;
  const bool waits = waits_at_barriers(facts.limiter);
  if (!loses_occupancy(facts) && !waits) return std::nullopt;
  Finding finding;
  finding.headline = "give the warps of a block the same amount of work";
  finding.observation = fmt::format(
      "uneven trips of warps: the mean warp of a recorded block runs {:.0f} % of the instructions of its longest; {}",
      facts.balance->warps,
      waits ? "the others wait at barriers" : "the others have ended and leave their slots empty");
  finding.cure =
      "Deal the elements out to warps in turn and not in pieces, or let the warps that are done fetch the next piece "
      "(atomicAdd on a counter in shared memory).";
  finding.lines = loop_lines(facts);
  return finding;
}

}  // namespace drywarp::advice
