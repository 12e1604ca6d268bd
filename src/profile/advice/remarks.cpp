#include "profile/advice/limiter.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace drywarp::advice {
namespace {

using Remarks = std::vector<Remark>;

void small_grid(const LimiterFacts& f, Remarks& out) {
  if (!f.blocks || !f.multiprocessors || *f.blocks >= *f.multiprocessors) return;
  const double sms = *f.multiprocessors;
  std::string text;
  if (const auto& all = f.all_blocks) {
    const double idle = std::max(0.0, sms - all->most);
    text = fmt::format(
        "grids of {:.0f} to {:.0f} blocks, {} launches, for {:.0f} multiprocessors: {} {:.0f} stand idle", all->least,
        all->most, f.launches, sms, idle > 0 ? fmt::format("{:.0f} to", idle) : "up to", sms - all->least);
  } else {
    text = fmt::format("the grid has {:.0f} block{} for {:.0f} multiprocessors: {:.0f} stand idle{}", *f.blocks,
                       *f.blocks == 1 ? "" : "s", sms, sms - *f.blocks,
                       *f.blocks > 1 ? ", and with coarser blocks more would" : "");
  }
  out.push_back({"small_grid",
                 std::move(text),
                 {{"launch__grid_size", *f.blocks, "block", f.all_blocks},
                  {"device__attribute_multiprocessor_count", sms, "SM"}}});
}

// If all blocks take equally long, a partial wave takes as long as a full one. Launches with different grids have no
// common last wave.
void tail(const LimiterFacts& f, Remarks& out) {
  if (!f.waves || *f.waves < kOneWave || f.all_waves) return;
  const double full = std::floor(*f.waves), partial = *f.waves - full;
  const double share = 100 / (full + 1);
  if (partial <= 0 || share < kTail) return;
  out.push_back(
      {"tail",
       fmt::format("tail: {:.0f} full wave{} and a partial one of {:.0f} % of a wave's blocks, which may take up "
                   "to {:.0f} % of the time",
                   full, full == 1 ? "" : "s", 100 * partial, share),
       {{"launch__waves_per_multiprocessor", *f.waves, "wave"}}});
}

// The resources that allow the fewest blocks.
std::string limits(const LimiterFacts& f) {
  const std::pair<std::optional<double>, const char*> resources[] = {{f.limit_blocks, "block slots"},
                                                                     {f.limit_registers, "registers"},
                                                                     {f.limit_shared, "shared memory"},
                                                                     {f.limit_warps, "warp slots"}};
  double fewest = 1e18;
  for (const auto& [blocks, name] : resources) fewest = std::min(fewest, blocks.value_or(fewest));
  std::vector<std::string_view> names;
  for (const auto& [blocks, name] : resources)
    if (blocks == fewest) names.emplace_back(name);
  return names.empty() ? "something unknown" : fmt::format("{}", fmt::join(names, " and "));
}

void occupancy(const LimiterFacts& f, Remarks& out) {
  if (!f.theoretical_occupancy) return;
  const Evidence theory = {"sm__maximum_warps_per_active_cycle_pct", *f.theoretical_occupancy, "%"};
  if (*f.theoretical_occupancy < kLowOccupancy)
    out.push_back({"low_occupancy",
                   fmt::format("theoretical occupancy is {:.1f} %, limited by {}", *f.theoretical_occupancy, limits(f)),
                   {theory}});
  if (!f.achieved_occupancy || *f.theoretical_occupancy - *f.achieved_occupancy <= kOccupancyLoss) return;
  out.push_back(
      {"occupancy_loss",
       fmt::format("achieved occupancy is {:.1f} %, of {:.1f} % in theory: blocks or warps are uneven, or too "
                   "few",
                   *f.achieved_occupancy, *f.theoretical_occupancy),
       {theory, {"sm__warps_active.avg.pct_of_peak_sustained_active", *f.achieved_occupancy, "%"}}});
}

// Why a pattern that looks worse can be faster, and one that looks good slow: what the other rules do not see.
void load_pattern(const LimiterFacts& f, Remarks& out) {
  if (!f.load_efficiency || !f.l1_hits) return;
  const std::vector<Evidence> pattern = {
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", *f.load_efficiency, "%"},
      {"l1tex__t_sector_hit_rate.pct", *f.l1_hits, "%"}};
  if (*f.load_efficiency < kWasteful && *f.l1_hits >= kCached)
    out.push_back({"cached_loads",
                   fmt::format("global loads are not coalesced ({:.1f} % of the bytes moved are wanted), but {:.1f} % "
                               "of the sectors hit in L1: later loads use what is left of a sector, at L1's latency",
                               *f.load_efficiency, *f.l1_hits),
                   pattern});
  const bool waits = f.compute && f.memory && std::max(*f.compute, *f.memory) < kBusy;
  const auto data = f.stalls[unsigned(sm::Stall::LongScoreboard)];
  if (!waits || !f.warps_active || !data || *f.load_efficiency < kCoalesced || *f.l1_hits >= kCached) return;
  double all = 0;
  for (const auto& warps : f.stalls) all += warps.value_or(0);
  if (all <= 0 || *data < all / 2) return;
  out.push_back(
      {"exposed_loads",
       fmt::format("global loads are coalesced ({:.1f} %), but {:.1f} % of the sectors miss L1 and {:.1f} warps a "
                   "multiprocessor do not hide that: more warps or more loads in flight would help, not the pattern",
                   *f.load_efficiency, 100 - *f.l1_hits, *f.warps_active),
       {pattern[0], pattern[1], {"sm__warps_active.avg.per_cycle_active", *f.warps_active, "warp"}}});
}

}  // namespace

std::vector<Remark> remarks(const LimiterFacts& facts) {
  Remarks all;
  for (const auto rule : {small_grid, tail, occupancy, load_pattern}) rule(facts, all);
  return all;
}

}  // namespace drywarp::advice
