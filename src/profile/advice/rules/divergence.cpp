// Branches that split warps, so that lanes stand idle.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/hot_spots.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kFullWarps = 90;  // percent of the lanes that are active

// A reduction whose working threads move apart: "tid % (2 * stride) == 0".
bool takes_a_remainder(const std::string& source) {
  const size_t at = source.find('%');
  return at != std::string::npos && source.find("2 *", at) != std::string::npos;
}

void advise_branch(const EvidenceLine* line, Finding& out) {
  if (line && takes_a_remainder(line->source)) {
    out.headline = "let consecutive threads take the branch";
    out.cure =
        "Rearrange the index: thread t works on the t-th element that is left, so that whole warps work and whole "
        "warps "
        "end. The remainder leaves some lanes of every warp idle.";
    out.sketch = {"int index = 2 * stride * threadIdx.x;", "if (index + stride < blockDim.x) ..."};
    return;
  }
  out.headline = "keep the threads of a warp on one side of the branch";
  out.cure =
      "Let the condition depend on the warp (threadIdx.x / 32) and not on the lane, sort the work so that neighbours "
      "take "
      "the same side, or compute both sides and select.";
}

}  // namespace

std::optional<Finding> divergence(const Facts& facts) {
  const auto active = facts.metric("warp_execution_efficiency");
  const auto uniform = facts.metric("branch_efficiency");
  if (!active || *active >= kFullWarps || !uniform || *uniform >= 100) return std::nullopt;
  // Loops that lanes leave one after the other are `uneven_threads`', and so are the branches around their unrolled
  // copies.
  const std::optional<Finding> uneven = uneven_threads(facts);
  const auto splits = [&](const InstructionFacts& i) {
    const bool of_loop = i.info->loop_exit || (uneven && std::ranges::any_of(uneven->lines, [&](const EvidenceLine& l) {
                                                 return l.line == i.info->line && l.file == i.file;
                                               }));
    return of_loop ? 0 : double(i.sums.divergent);
  };
  double divergent = 0;
  for (const InstructionFacts& i : facts.instructions) divergent += splits(i);
  if (!facts.instructions.empty() && divergent == 0) return std::nullopt;
  Finding finding;
  finding.observation =
      fmt::format("{:.3g} % of the lanes are active; {:.3g} % of the branches split a warp", *active, 100 - *uniform);
  finding.lines =
      hot_lines(facts, {splits, "split branches", divergent, [](const metrics::Sums& s) {
                          return fmt::format("{} of {} branches of warps take both sides", s.divergent, s.branches);
                        }});
  advise_branch(finding.lines.empty() ? nullptr : &finding.lines.front(), finding);
  if (!finding.lines.empty()) finding.explain = "divergence";
  add_evidence(finding, facts, "warp_execution_efficiency", "%");
  add_evidence(finding, facts, "branch_efficiency", "%");
  return finding;
}

}  // namespace drywarp::advice
