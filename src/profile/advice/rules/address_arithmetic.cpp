// Loops that spend their instructions on indices.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/hot_spots.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kShareOfInstructions = 10;  // percent of the instructions of a kernel that computation limits
constexpr double kLoop = 1.5;                // times that a warp runs an instruction: more is a loop

}  // namespace

std::optional<Finding> address_arithmetic(const Facts& facts) {
  if (!facts.verdict || facts.verdict->limiter == Limiter::Memory || facts.instructions.empty()) return std::nullopt;
  const double warps = facts.metric("smsp__warps_launched.sum").value_or(0);
  double all = 0, addresses = 0, most = 0;
  for (const InstructionFacts& i : facts.instructions) {
    const auto ran = double(i.sums.all().warps);
    all += ran;
    if (i.info->address_only) addresses += ran, most = std::max(most, ran);
  }
  if (all == 0 || 100 * addresses < kShareOfInstructions * all || most < kLoop * warps) return std::nullopt;
  Finding finding;
  finding.lines = hot_lines(facts, {[](const auto& i) { return i.info->address_only ? double(i.sums.all().warps) : 0; },
                                    "the instructions", all,
                                    [](const metrics::Sums& s) {
                                      return fmt::format("{} PTX instructions of warps make addresses", s.all().warps);
                                    }});
  finding.headline = "unroll the loop";
  finding.observation =
      fmt::format("{:.0f} % of the PTX instructions do nothing but make addresses", 100 * addresses / all);
  finding.cure =
      "Unroll by a constant (#pragma unroll), so that addresses become offsets in the instructions; keep one pointer a "
      "row "
      "and add to it; let a thread do several elements.";
  finding.sketch = {"#pragma unroll"};
  return finding;
}

}  // namespace drywarp::advice
