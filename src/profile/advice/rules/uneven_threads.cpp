// Threads of a warp that run a loop different numbers of times: the warp runs it as often as its longest thread.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/rules.h"
#include "profile/advice/rules/uneven.h"

namespace drywarp::advice {
namespace {

constexpr double kFullTrips = 90;  // percent of the lanes that enter the loop and take part in its mean trip
constexpr double kWholeWarp = 32;

double lanes(const InstructionFacts& i) {
  const metrics::InstructionSums all = i.sums.all();
  return all.warps == 0 ? 0 : double(all.lanes) / double(all.warps);
}

// Lanes that enter the loop: of the code before it, which warps run less often.
double lanes_before(const Facts& facts, const InstructionFacts& exit) {
  const auto begin = facts.instructions.data();
  for (const InstructionFacts* at = &exit; at-- != begin;)
    if (2 * at->sums.all().warps <= exit.sums.all().warps) return lanes(*at);
  return kWholeWarp;
}

}  // namespace

std::optional<Finding> uneven_threads(const Facts& facts) {
  const InstructionFacts* worst = nullptr;
  double most_idle = 0, entered = 0;
  for (const InstructionFacts& i : facts.instructions) {
    if (!i.info->loop_exit || i.sums.divergent == 0) continue;
    const double before = lanes_before(facts, i), idle = (before - lanes(i)) * double(i.sums.all().warps);
    if (100 * lanes(i) >= kFullTrips * before || idle <= most_idle) continue;
    worst = &i, most_idle = idle, entered = before;
  }
  if (!worst) return std::nullopt;
  Finding finding;
  finding.headline = "give the threads of a warp loops of the same length";
  finding.observation = fmt::format(
      "uneven trips within a warp: {:.1f} of the {:.1f} threads that enter the loop take part in its mean trip; the "
      "others "
      "have left and wait for the longest",
      lanes(*worst), entered);
  finding.cure =
      "Sort the work, so that neighbouring threads have about as much to do; or let a whole warp share one thread's "
      "loop "
      "(lane l takes the elements l, l + 32 ...).";
  if (worst->info->line != 0) finding.lines = loop_lines(facts);
  std::erase_if(finding.lines,
                [&](const EvidenceLine& l) { return l.line != worst->info->line || l.file != worst->file; });
  if (!finding.lines.empty()) finding.explain = "divergence";
  finding.evidence = {{"smsp__thread_inst_executed_per_inst_executed.ratio", lanes(*worst), "thread"}};
  return finding;
}

}  // namespace drywarp::advice
