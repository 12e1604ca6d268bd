// Blocks that run different numbers of instructions: at the end few multiprocessors work on the longest.
#include <fmt/format.h>

#include "profile/advice/rules/rules.h"
#include "profile/advice/rules/uneven.h"

namespace drywarp::advice {
namespace {

constexpr double kEvenBlocks = 90;  // percent: the mean block, of the longest
constexpr double kIdle = 10;        // percent of the time in which a multiprocessor has no warp

}  // namespace

std::optional<Finding> uneven_blocks(const Facts& facts) {
  if (!facts.balance || facts.balance->blocks >= kEvenBlocks) return std::nullopt;
  if (facts.verdict && facts.verdict->saturated) return std::nullopt;
  const auto active = facts.limiter.sm_active;
  if (!active || 100 - *active < kIdle || small_grid(facts)) return std::nullopt;
  Finding finding;
  finding.headline = "give blocks the same amount of work, or start the longest first";
  finding.observation = fmt::format(
      "uneven trips of blocks: the mean recorded block runs {:.0f} % of the instructions of the longest, and "
      "multiprocessors stand idle for {:.0f} % of the time",
      facts.balance->blocks, 100 - *active);
  finding.cure =
      "Cut the work into more and smaller pieces, or launch as many blocks as fit at once and let each fetch the next "
      "piece (atomicAdd on a counter in global memory).";
  finding.lines = loop_lines(facts);
  finding.evidence = {{"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", *active, "%"}};
  return finding;
}

}  // namespace drywarp::advice
