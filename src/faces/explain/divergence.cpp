#include "faces/explain/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/events/counts.h"
#include "faces/explain/lanes.h"

namespace drywarp::explain {
namespace {

constexpr int64_t kMostTrips = 4096;

// Counts branches with the profiler's BranchCounts.
class BranchCounter {
 public:
  // Returns whether the warp diverged.
  bool branch(LaneMask active, LaneMask taken) {
    const uint64_t before = counts_.divergent;
    ++branches_;
    counts_.count(active, taken);
    return counts_.divergent != before;
  }
  [[nodiscard]] uint64_t branches() const { return branches_; }
  [[nodiscard]] uint64_t divergent() const { return counts_.divergent; }

 private:
  BranchCounts counts_;
  uint64_t branches_ = 0;
};

struct LaneValues {
  LaneMask active = 0;
  std::array<int64_t, kWarpSize> value{};
};

Result<LaneValues> values_of(const Expression& expression, const Names& names, const LaunchConfiguration& launch,
                             uint64_t block, uint32_t warp, std::vector<int64_t>& scratch) {
  LaneValues out;
  out.active = launch.lanes_of(warp);
  for (LaneMask left = out.active; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if (Status status = names.values(launch, block, warp * kWarpSize + lane, scratch); !status) return status.problem();
    const Result<int64_t> value = expression.evaluate(scratch);
    if (!value) return value.problem();
    out.value[lane] = *value;
  }
  return out;
}

template <class Predicate>
LaneMask lanes_where(const LaneValues& lanes, LaneMask among, Predicate predicate) {
  LaneMask out = 0;
  for (LaneMask left = among; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if (predicate(lanes.value[lane])) out |= 1u << lane;
  }
  return out;
}

// Each of these finds the passes of one warp and counts the branches that hardware would execute.
void condition_passes(const LaneValues& lanes, WarpPaths& out, BranchCounter& counter) {
  const LaneMask yes = lanes_where(lanes, lanes.active, [](int64_t v) { return v != 0; });
  out.divergent = counter.branch(lanes.active, yes);
  if (yes != 0) out.passes.push_back({1, yes});
  if (yes != lanes.active) out.passes.push_back({0, lanes.active & ~yes});
}

void switch_passes(const LaneValues& lanes, WarpPaths& out, BranchCounter& counter) {
  LaneMask left = lanes.active;
  while (left != 0) {
    const int64_t value = lanes.value[static_cast<size_t>(std::countr_zero(left))];
    const LaneMask same = lanes_where(lanes, left, [value](int64_t v) { return v == value; });
    // The last path needs no comparison.
    if (same != left || out.passes.empty()) out.divergent = counter.branch(left, same) || out.divergent;
    out.passes.push_back({value, same});
    left &= ~same;
  }
  std::ranges::sort(out.passes, {}, &Pass::value);
}

Status loop_passes(const LaneValues& lanes, WarpPaths& out, BranchCounter& counter,
                   std::map<int64_t, TripCounts>& trips) {
  LaneMask in = lanes.active;
  for (int64_t trip = 1; in != 0; ++trip) {
    if (trip > kMostTrips) return error(fmt::format("a loop of more than {} trips", kMostTrips));
    const LaneMask stay = lanes_where(lanes, in, [trip](int64_t v) { return v >= trip; });
    out.divergent = counter.branch(in, stay) || out.divergent;
    in = stay;
    if (in == 0) break;
    out.passes.push_back({trip, in});
    TripCounts& counts = trips[trip];
    counts.trip = trip;
    ++counts.warps;
    counts.divergent += in != lanes.active;
    counts.lanes += static_cast<uint64_t>(std::popcount(in));
  }
  return {};
}

bool alike(const WarpPaths& a, const WarpPaths& b) {
  return a.active == b.active && a.divergent == b.divergent &&
         std::ranges::equal(a.passes, b.passes,
                            [](const Pass& x, const Pass& y) { return x.value == y.value && x.lanes == y.lanes; });
}

// Keeps runs of equal warps: the first ones, and the first divergent one wherever it is.
class Runs {
 public:
  explicit Runs(std::vector<WarpPaths>& kept) : kept_(kept) {}
  void add(WarpPaths&& paths) {
    if (is_last_kept_ && alike(kept_.back(), paths)) return void(++kept_.back().warps);
    has_divergent_ = has_divergent_ || (!kept_.empty() && kept_.back().divergent);
    is_last_kept_ = kept_.size() < kShownRuns || (paths.divergent && !has_divergent_);
    if (is_last_kept_) kept_.push_back(std::move(paths));
  }

 private:
  std::vector<WarpPaths>& kept_;
  bool is_last_kept_ = false, has_divergent_ = false;
};

}  // namespace

double DivergenceExplanation::efficiency() const {
  return passes == 0 ? 0 : 100 * static_cast<double>(lanes) / static_cast<double>(passes * kWarpSize);
}

double DivergenceExplanation::branch_efficiency() const {
  return branches == 0 ? 100 : 100 * static_cast<double>(branches - divergent_branches) / static_cast<double>(branches);
}

Result<DivergenceExplanation> explain_divergence(const DivergenceText& text) {
  if (Status status = check(text.launch); !status) return status.problem();
  Names names;
  for (const std::string& definition : text.definitions)
    if (Status status = names.define(definition); !status) return status.problem();
  static constexpr const char* kOptions[] = {"--if", "--switch", "--loop"};
  const Result<Expression> expression =
      parse_expression(text.expression, names, kOptions[static_cast<unsigned>(text.kind)]);
  if (!expression) return expression.problem();

  DivergenceExplanation out;
  out.text = text.expression;
  out.kind = text.kind;
  out.launch = text.launch;
  out.examined_blocks = blocks_to_examine(text.launch);
  BranchCounter counter;
  Runs runs(out.shown);
  std::map<int64_t, TripCounts> trips;
  std::vector<int64_t> scratch;
  for (uint64_t block = 0; block < out.examined_blocks; ++block) {
    for (uint32_t warp = 0; warp < text.launch.warps(); ++warp) {
      const Result<LaneValues> lanes = values_of(*expression, names, text.launch, block, warp, scratch);
      if (!lanes) return lanes.problem();
      WarpPaths paths;
      paths.block = block, paths.warp = warp, paths.active = lanes->active;
      if (text.kind == BranchKind::Condition) condition_passes(*lanes, paths, counter);
      if (text.kind == BranchKind::Switch) switch_passes(*lanes, paths, counter);
      if (text.kind == BranchKind::Loop)
        if (Status status = loop_passes(*lanes, paths, counter, trips); !status) return status.problem();
      ++out.warps;
      out.working_warps += std::ranges::any_of(
          paths.passes, [&](const Pass& p) { return text.kind != BranchKind::Condition || p.value != 0; });
      out.divergent_warps += paths.divergent;
      out.passes += paths.passes.size();
      for (const Pass& pass : paths.passes) out.lanes += static_cast<uint64_t>(std::popcount(pass.lanes));
      runs.add(std::move(paths));
    }
  }
  for (const auto& [trip, counts] : trips) out.trips.push_back(counts), out.split_trips += counts.divergent;
  out.branches = counter.branches();
  out.divergent_branches = counter.divergent();
  return out;
}

namespace {

constexpr struct {
  Reduction reduction;
  const char* name;
  const char* condition;
  bool doubles;  // the stride; else it halves
} kReductions[] = {
    {Reduction::Neighboured, "neighbored", "tid % (2 * s) == 0", true},
    {Reduction::NeighbouredRearranged, "rearranged", "2 * s * tid < blockDim.x", true},
    {Reduction::Interleaved, "interleaved", "tid < s", false},
};

}  // namespace

const char* name(Reduction reduction) { return kReductions[static_cast<unsigned>(reduction)].name; }
const char* condition(Reduction reduction) { return kReductions[static_cast<unsigned>(reduction)].condition; }

Result<Reduction> parse_reduction(std::string_view text) {
  // With the names in other texts.
  static constexpr std::pair<std::string_view, Reduction> kNames[] = {
      {"neighbored", Reduction::Neighboured},           {"mod", Reduction::Neighboured},
      {"rearranged", Reduction::NeighbouredRearranged}, {"neighbored-rearranged", Reduction::NeighbouredRearranged},
      {"interleaved", Reduction::Interleaved},          {"sequential", Reduction::Interleaved},
  };
  for (const auto& [known, reduction] : kNames)
    if (known == text) return reduction;
  return error(fmt::format("there is no reduction '{}'", text),
               "neighbored (mod), rearranged, interleaved (sequential addressing)");
}

uint64_t ReductionExplanation::additions() const {
  uint64_t sum = 0;
  for (const ReductionRound& round : rounds) sum += round.threads;
  return sum;
}

Result<ReductionExplanation> explain_reduction(Reduction reduction, uint32_t threads, uint64_t elements) {
  if (threads < 2 || threads > 1024 || !std::has_single_bit(threads))
    return error(fmt::format("a block of {} threads: these reductions need a power of two from 2 to 1024", threads));
  const auto& facts = kReductions[static_cast<unsigned>(reduction)];
  ReductionExplanation out{reduction, threads, elements == 0 ? threads : elements, {}};
  for (uint32_t step = 1; step < threads; step *= 2) {
    const uint32_t stride = facts.doubles ? step : threads / 2 / step;
    DivergenceText round{facts.condition, BranchKind::Condition, {fmt::format("s={}", stride)}, {}};
    round.launch.block = {threads, 1, 1};
    const Result<DivergenceExplanation> found = explain_divergence(round);
    if (!found) return found.problem();
    ReductionRound counts{stride, 0, found->working_warps, found->divergent_warps};
    for (const WarpPaths& warp : found->shown)
      for (const Pass& pass : warp.passes)
        if (pass.value != 0) counts.threads += warp.warps * static_cast<uint64_t>(std::popcount(pass.lanes));
    out.rounds.push_back(counts);
  }
  return out;
}

}  // namespace drywarp::explain
