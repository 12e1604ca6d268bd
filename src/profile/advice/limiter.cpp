#include "profile/advice/limiter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace drywarp::advice {
namespace {

enum class Over : uint8_t { Elapsed, Active, Scheduled };

// A memory level or pipe with its throughput in percent of the peak over the elapsed time.
struct Unit {
  std::string_view key, title, metric;
  std::optional<double> percent;
};

std::optional<double> of_elapsed(std::optional<double> percent, Over over, const LimiterFacts& f) {
  if (!percent || over == Over::Elapsed) return percent;
  const auto& active = over == Over::Active && f.sm_active ? f.sm_active : f.scheduler_active;
  return *percent * active.value_or(100) / 100;
}

std::vector<Unit> levels(const LimiterFacts& f) {
  return {
#define DW_LIMITER_LEVEL(member, metric, key, title, over) {key, title, metric, of_elapsed(f.member, Over::over, f)},
#include "profile/advice/limiter_facts.def"
  };
}

std::vector<Unit> pipes(const LimiterFacts& f) {
  return {
#define DW_LIMITER_PIPE(member, metric, key, title, over) {key, title, metric, of_elapsed(f.member, Over::over, f)},
#include "profile/advice/limiter_facts.def"
  };
}

// The level behind the memory throughput: the one nearest to it, since a level's own figure may include units that the
// memory throughput leaves out (lts__throughput has the fabric between partitions). Shared memory is part of L1 and is
// named if it does most of L1's work.
std::optional<Unit> busiest_level(const LimiterFacts& f) {
  std::optional<Unit> best, shared;
  for (const Unit& level : levels(f)) {
    if (!level.percent) continue;
    if (level.key == "shared")
      shared = level;
    else if (!best || std::abs(*level.percent - *f.memory) < std::abs(*best->percent - *f.memory))
      best = level;
  }
  if (!best || !shared) return best ? best : shared;
  if (best->key == "l1tex" && 2 * *shared->percent >= *best->percent) return shared;
  return std::abs(*shared->percent - *f.memory) < std::abs(*best->percent - *f.memory) ? shared : best;
}

std::optional<Unit> busiest_pipe(const LimiterFacts& f) {
  std::optional<Unit> best;
  for (const Unit& pipe : pipes(f))
    if (pipe.percent && (!best || *pipe.percent > *best->percent)) best = pipe;
  return best;
}

std::string stall_metric(unsigned stall) {
  return fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio",
                     sm::name(static_cast<sm::Stall>(stall)));
}

struct StallShare {
  sm::Stall stall{};
  double warps = 0, share = 0;  // 0 to 1, of all states
};

// Warps that issue or are eligible are not stalled.
std::optional<StallShare> longest_stall(const LimiterFacts& f) {
  double all = 0;
  StallShare most;
  for (unsigned k = 0; k < sm::kStalls; ++k) {
    const double warps = f.stalls[k].value_or(0);
    all += warps;
    const auto stall = static_cast<sm::Stall>(k);
    if (stall == sm::Stall::Selected || stall == sm::Stall::NotSelected) continue;
    if (warps > most.warps) most = {stall, warps, 0};
  }
  if (most.warps <= 0) return std::nullopt;
  most.share = most.warps / all;
  return most;
}

void add_throughputs(Verdict& v, const LimiterFacts& f) {
  v.evidence.push_back({"sm__throughput.avg.pct_of_peak_sustained_elapsed", *f.compute, "%"});
  v.evidence.push_back({"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", *f.memory, "%"});
}

std::string throughputs(const LimiterFacts& f) {
  return fmt::format("compute {:.1f} %, memory {:.1f} % of peak", *f.compute, *f.memory);
}

void explain_memory(Verdict& v, const LimiterFacts& f) {
  const auto level = busiest_level(f);
  v.text = fmt::format("memory-bound: {}", throughputs(f));
  if (!level) return;
  v.unit = level->key;
  v.text = fmt::format("memory-bound: {} at {:.1f} % of peak ({})", level->title, *level->percent, throughputs(f));
  v.evidence.push_back({std::string(level->metric), *level->percent, "%"});
}

// Compute throughput is that of the busiest unit. If the busiest known one is far from it, another unit is behind it.
bool is_behind(const Unit& pipe, const LimiterFacts& f) { return *f.compute - *pipe.percent < kBalanced; }

std::string other_unit(const Unit& pipe) {
  return fmt::format("no known pipe is behind it, the busiest is {} at {:.1f} %", pipe.title, *pipe.percent);
}

void explain_compute(Verdict& v, const LimiterFacts& f) {
  const auto pipe = busiest_pipe(f);
  v.text = fmt::format("compute-bound: {}", throughputs(f));
  if (!pipe) return;
  v.evidence.push_back({std::string(pipe->metric), *pipe->percent, "%"});
  if (!is_behind(*pipe, f)) return void(v.text += "; " + other_unit(*pipe));
  v.unit = pipe->key;
  v.text = fmt::format("compute-bound: {} at {:.1f} % of peak ({})", pipe->title, *pipe->percent, throughputs(f));
}

void explain_balanced(Verdict& v, const LimiterFacts& f) {
  const auto level = busiest_level(f);
  const auto pipe = busiest_pipe(f);
  v.text = fmt::format("balanced: {}", throughputs(f));
  if (!level || !pipe) return;
  const bool known = is_behind(*pipe, f);
  v.unit = known ? fmt::format("{}+{}", level->key, pipe->key) : std::string(level->key);
  v.text = fmt::format("balanced: {} at {:.1f} %{} ({})", level->title, *level->percent,
                       known ? fmt::format(", {} at {:.1f} % of peak", pipe->title, *pipe->percent) : " of peak",
                       throughputs(f));
  if (!known) v.text += "; of compute " + other_unit(*pipe);
  v.evidence.push_back({std::string(level->metric), *level->percent, "%"});
  v.evidence.push_back({std::string(pipe->metric), *pipe->percent, "%"});
}

std::string waves(const LimiterFacts& f) {
  if (!f.all_waves) return fmt::format("{:.2f} waves", *f.waves);
  return fmt::format("{:.2f} to {:.2f} waves, {:.2f} on average,", f.all_waves->least, f.all_waves->most, *f.waves);
}

void explain_waiting(Verdict& v, const LimiterFacts& f) {
  if (f.waves) v.evidence.push_back({"launch__waves_per_multiprocessor", *f.waves, "wave", f.all_waves});
  v.text = v.limiter == Limiter::SmallGrid
               ? fmt::format("small grid: {} do not fill the device ({})", waves(f), throughputs(f))
               : fmt::format("latency-bound: {}", throughputs(f));
  const auto stall = longest_stall(f);
  if (!stall) return;
  v.unit = sm::name(stall->stall);
  v.text += fmt::format("; {:.0f} % of a warp's time is {}: it waits for {}", 100 * stall->share, v.unit,
                        sm::description(stall->stall));
  v.evidence.push_back({stall_metric(unsigned(stall->stall)), stall->warps, "warp"});
}

std::optional<Range> range(std::span<const LaunchSize> launches, double LaunchSize::* size) {
  const auto [least, most] = std::ranges::minmax(launches, {}, size);
  const Range range{least.*size, most.*size};
  return range.is_one() ? std::nullopt : std::optional(range);
}

// The grid of an actual launch, not a mean of two.
double median_blocks(std::span<const LaunchSize> launches) {
  std::vector<LaunchSize> sorted(launches.begin(), launches.end());
  const auto middle = sorted.begin() + std::ptrdiff_t((sorted.size() - 1) / 2);
  std::ranges::nth_element(sorted, middle, {}, &LaunchSize::blocks);
  return middle->blocks;
}

}  // namespace

LimiterFacts read_facts(const MetricValue& value) {
  LimiterFacts f;
#define DW_LIMITER_FACT(member, metric) f.member = value(metric);
#define DW_LIMITER_LEVEL(member, metric, key, title, over) f.member = value(metric);
#define DW_LIMITER_PIPE(member, metric, key, title, over) f.member = value(metric);
#include "profile/advice/limiter_facts.def"
  for (unsigned k = 0; k < sm::kStalls; ++k) f.stalls[k] = value(stall_metric(k));
  return f;
}

const char* key(Limiter limiter) {
  constexpr const char* keys[] = {"memory", "compute", "balanced", "latency", "small_grid"};
  return keys[static_cast<size_t>(limiter)];
}

std::optional<Verdict> find_limiter(const LimiterFacts& f) {
  if (!f.compute || !f.memory) return std::nullopt;
  Verdict v;
  add_throughputs(v, f);
  const double busiest = std::max(*f.compute, *f.memory);
  v.saturated = busiest >= kSaturated;
  const bool apart = std::abs(*f.compute - *f.memory) >= kBalanced;
  if (busiest < kBusy) {
    v.limiter = f.waves && *f.waves < kOneWave ? Limiter::SmallGrid : Limiter::Latency;
    explain_waiting(v, f);
  } else if (v.saturated || apart) {
    v.limiter = *f.memory > *f.compute ? Limiter::Memory : Limiter::Compute;
    v.limiter == Limiter::Memory ? explain_memory(v, f) : explain_compute(v, f);
  } else {
    v.limiter = Limiter::Balanced;
    explain_balanced(v, f);
  }
  return v;
}

LimiterFacts limiter_facts_of(const metrics::Sums& sums, const metrics::Facts& facts,
                              std::span<const LaunchSize> launches) {
  LimiterFacts read = read_facts([&](const std::string& name) {
    const metrics::Metric* metric = metrics::find_metric(name);
    return metric ? metric->evaluate(sums, facts) : std::nullopt;
  });
  if (!launches.empty()) {
    read.launches = launches.size();
    read.blocks = median_blocks(launches);
    read.all_blocks = range(launches, &LaunchSize::blocks);
    read.all_waves = range(launches, &LaunchSize::waves);
  }
  return read;
}

std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                  std::span<const LaunchSize> launches) {
  return facts.time ? find_limiter(limiter_facts_of(sums, facts, launches)) : std::nullopt;
}

}  // namespace drywarp::advice
