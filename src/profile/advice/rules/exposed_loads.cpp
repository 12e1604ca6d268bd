// Loads whose latency nothing hides, although their pattern is good.
#include <fmt/format.h>

#include <algorithm>

#include "profile/advice/rules/evidence.h"
#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

constexpr double kStalled = 30;    // percent of a warp's time
constexpr double kCoalesced = 50;  // percent: below it `uncoalesced` speaks
constexpr double kCached = 50;     // percent of the sectors that hit in L1

constexpr const char* kEfficiency = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct";
constexpr const char* kHits = "l1tex__t_sector_hit_rate.pct";
constexpr const char* kWarps = "sm__warps_active.avg.per_cycle_active";

}  // namespace

std::optional<Finding> exposed_loads(const Facts& facts) {
  const LimiterFacts& f = facts.limiter;
  const auto data = f.stalls[unsigned(sm::Stall::LongScoreboard)];
  if (!f.compute || !f.memory || std::max(*f.compute, *f.memory) >= kBusy || !f.warps_active || !data) return {};
  if (!f.load_efficiency || *f.load_efficiency < kCoalesced || !f.l1_hits || *f.l1_hits >= kCached) return {};
  double all = 0;
  for (const auto& warps : f.stalls) all += warps.value_or(0);
  if (all <= 0 || 100 * *data < kStalled * all) return {};
  Finding finding;
  finding.headline = "have more loads in flight";
  finding.observation = fmt::format(
      "global loads use {:.1f} % of the bytes that they move, but {:.1f} % of the sectors miss L1, and warps spend "
      "{:.0f} % of their "
      "time "
      "waiting for data: {:.1f} warps a multiprocessor do not hide that",
      *f.load_efficiency, 100 - *f.l1_hits, 100 * *data / all, *f.warps_active);
  finding.cure =
      "Let each thread load several independent elements before it uses the first (unroll, coarsen, wider loads), or "
      "launch more warps.";
  add_evidence(finding, facts, kEfficiency, "%");
  add_evidence(finding, facts, kHits, "%");
  add_evidence(finding, facts, kWarps, "warp");
  return finding;
}

}  // namespace drywarp::advice
