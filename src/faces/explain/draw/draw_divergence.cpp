#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "faces/explain/draw/sketch.h"

namespace drywarp::explain {
namespace {

constexpr size_t kMostRuns = 12, kMostPassesOfWarp = 10;

std::string pass_name(BranchKind kind, const Pass& pass) {
  if (kind == BranchKind::Condition) return pass.value != 0 ? "then" : "else";
  return kind == BranchKind::Switch ? fmt::format("case {}", pass.value) : fmt::format("trip {}", pass.value);
}

// "3", "2:7" with its block; the last of a run.
std::string warp_name(const DivergenceExplanation& e, const WarpPaths& w, uint64_t after = 0) {
  const uint64_t linear = w.block * e.launch.warps() + w.warp + after;
  return e.launch.blocks() > 1 ? fmt::format("{}:{}", linear / e.launch.warps(), linear % e.launch.warps())
                               : fmt::format("{}", linear);
}

std::string draw_run(const DivergenceExplanation& e, const WarpPaths& w, size_t width, const Pen& pen) {
  std::string out, name = warp_name(e, w);
  if (w.warps > 1) name += fmt::format(" to {}", warp_name(e, w, w.warps - 1));
  for (size_t p = 0; p < w.passes.size(); ++p) {
    if (p == kMostPassesOfWarp && w.passes.size() > kMostPassesOfWarp + 1) {
      out += fmt::format("  {}  {} {} more passes\n", left("", width), pen.more(), w.passes.size() - p);
      break;
    }
    const Pass& pass = w.passes[p];
    out += fmt::format("  {}  {} {}{}{}  {:>5}\n", left(p == 0 ? name : "", width), left(pass_name(e.kind, pass), 9),
                       pen.bar(), lane_row(pass.lanes, w.active, pen), pen.bar(), std::popcount(pass.lanes));
  }
  if (w.passes.empty()) out += fmt::format("  {}  none: no lane makes a trip\n", left(name, width));
  return out;
}

std::string draw_passes(const DivergenceExplanation& e, const Pen& pen) {
  // The first runs of equal warps, and the first that diverges if it is not among them.
  std::vector<const WarpPaths*> drawn;
  bool divergent = false;
  for (const WarpPaths& w : e.shown) {
    if (drawn.size() >= kMostRuns && (divergent || !w.divergent)) continue;
    drawn.push_back(&w);
    divergent = divergent || w.divergent;
  }
  size_t width = 13;
  for (const WarpPaths* w : drawn)
    width = std::max(width, warp_name(e, *w).size() + (w->warps > 1 ? 4 + warp_name(e, *w, w->warps - 1).size() : 0));
  std::string out =
      fmt::format("  {}  pass      {}  lanes\n", left(e.launch.blocks() > 1 ? "block:warp" : "warp", width),
                  left("lanes that run it", 34));
  uint64_t next = 0;
  const auto omit_until = [&](uint64_t warp) {
    if (next < warp) out += fmt::format("  {} {}\n", pen.more(), plural(warp - next, "more warp"));
  };
  for (const WarpPaths* w : drawn) {
    const uint64_t first = w->block * e.launch.warps() + w->warp;
    omit_until(first);
    out += draw_run(e, *w, width, pen);
    next = first + w->warps;
  }
  omit_until(e.warps);
  return out;
}

std::string draw_trips(const DivergenceExplanation& e) {
  std::string out = "  trip   warps  passes  of them split  lanes a warp\n";
  for (const TripCounts& t : e.trips) {
    if (t.trip > 40) {
      out += fmt::format("  ... {}\n", plural(e.trips.size() - 40, "more trip"));
      break;
    }
    // A warp that diverges in this trip takes two passes: the lanes in the loop, and those that have left it.
    out += fmt::format("  {:>4}  {:>6}  {:>6}  {:>13}  {:>12.1f}\n", t.trip, t.warps, t.passes(), t.divergent,
                       static_cast<double>(t.lanes) / static_cast<double>(t.warps));
  }
  return out;
}

}  // namespace

std::string draw(const DivergenceExplanation& e, const Pen& pen) {
  static constexpr const char* kForms[] = {"if ({})", "switch ({})", "a loop of ({}) trips"};
  std::string out = fmt::format(fmt::runtime(kForms[static_cast<unsigned>(e.kind)]), e.text);
  out += fmt::format(", block {}, grid {}\n\n", to_string(e.launch.block), to_string(e.launch.grid));
  out += draw_passes(e, pen) + '\n';
  if (e.kind == BranchKind::Loop) out += draw_trips(e) + '\n';
  const char* work = e.kind == BranchKind::Condition ? "with a lane that takes the branch" : "with work";
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("warps", fmt::format("{}, {} {}", e.warps, e.working_warps, work));
  rows.emplace_back(
      "divergent warps",
      fmt::format("{} of {}{}", e.divergent_warps, e.working_warps,
                  e.working_warps == 0 ? ""
                                       : fmt::format(" = {}", percent(100.0 * static_cast<double>(e.divergent_warps) /
                                                                      static_cast<double>(e.working_warps)))));
  const std::string lanes = fmt::format(
      "{:.1f} active lanes each: {} of the lanes",
      e.passes == 0 ? 0.0 : static_cast<double>(e.lanes) / static_cast<double>(e.passes), percent(e.efficiency()));
  if (e.kind == BranchKind::Loop) {
    rows.emplace_back("passes", fmt::format("{}: {} of warps, {} of them split in two", e.passes + e.split_trips,
                                            plural(e.passes, "trip"), e.split_trips));
    rows.emplace_back("trips", fmt::format("{}, {}", e.passes, lanes));
  } else {
    rows.emplace_back("passes", fmt::format("{}, {}", e.passes, lanes));
  }
  rows.emplace_back("branch efficiency", fmt::format("{} ({} of {} {})", percent(e.branch_efficiency()),
                                                     e.divergent_branches, plural(e.branches, "branch"),
                                                     e.branches == 1 ? "splits its warp" : "split their warp"));
  if (e.examined_blocks < e.launch.blocks())
    rows.emplace_back("looked at", fmt::format("the first {} blocks of {}", e.examined_blocks, e.launch.blocks()));
  return out + facts(rows);
}

std::string draw(const ReductionExplanation& e, const Pen& pen) {
  std::string out =
      fmt::format("Reduction, {}: if ({}), blocks of {}\n\n", name(e.reduction), condition(e.reduction), e.threads);
  const unsigned warps = std::max(1u, e.threads / kWarpSize);
  out += "  round  stride s  threads that add  warps at work  divergent  warps (one mark each)\n";
  for (size_t i = 0; i < e.rounds.size(); ++i) {
    const ReductionRound& r = e.rounds[i];
    const std::string marks = repeat(pen.block(), r.divergent_warps) +
                              repeat(pen.unicode ? "▒" : "+", r.warps - r.divergent_warps) +
                              repeat(pen.dot(), warps - r.warps);
    out += fmt::format("  {:>5}  {:>8}  {:>16}  {:>13}  {:>9}  {}\n", i + 1, r.stride, r.threads, r.warps,
                       r.divergent_warps, marks);
  }
  out += fmt::format("\n  {} divergent, {} at work and not divergent, {} idle\n\n", pen.block(),
                     pen.unicode ? "▒" : "+", pen.dot());
  uint64_t divergent_rounds = 0, warp_rounds = 0;
  for (const ReductionRound& r : e.rounds) divergent_rounds += r.divergent_warps != 0, warp_rounds += r.warps;
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("rounds", fmt::format("{} = log2 {}", e.rounds.size(), e.threads));
  rows.emplace_back("additions",
                    fmt::format("{} = {} - 1, as many as one thread alone needs", e.additions(), e.threads));
  rows.emplace_back("divergent rounds", fmt::format("{} of {}", divergent_rounds, e.rounds.size()));
  rows.emplace_back("warps at work", fmt::format("{}, summed over rounds", warp_rounds));
  if (e.elements != e.threads)
    rows.emplace_back("input", fmt::format("{} in {}", plural(e.elements, "element"), plural(e.blocks(), "block")));
  return out + facts(rows);
}

}  // namespace drywarp::explain
