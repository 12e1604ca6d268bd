// What limits a launch: memory, computation, latency or too small a grid, by the thresholds of Nsight Compute's rules
// (SpeedOfLight, LaunchStatistics, Occupancy in its sections folder).
//
// The facts are metrics by Nsight Compute's names, from the model (reports) or from a GPU (accuracy benchmark).
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/sm/result.h"
#include "profile/metrics/evaluate.h"

namespace drywarp::advice {

// In percent, and in waves.
inline constexpr double kSaturated = 80;  // a throughput from here on is the limiter
inline constexpr double kBusy = 60;       // both throughputs below: latency-bound
inline constexpr double kBalanced = 10;   // both busy and less than this apart: balanced
inline constexpr double kOneWave = 1;     // fewer waves do not fill the device

// Over several launches.
struct Range {
  double least = 0, most = 0;
  [[nodiscard]] bool is_one() const { return least == most; }
};

struct LimiterFacts {
#define DW_LIMITER_FACT(member, metric) std::optional<double> member;
#define DW_LIMITER_LEVEL(member, metric, key, title, over) std::optional<double> member;
#define DW_LIMITER_PIPE(member, metric, key, title, over) std::optional<double> member;
#include "profile/advice/limiter_facts.def"
  // Warps of a scheduler in each stall state, per issued instruction.
  std::array<std::optional<double>, sm::kStalls> stalls{};
  // For several launches with different grids: `blocks` is the median, `waves` the mean weighted by time.
  uint64_t launches = 1;
  std::optional<Range> all_blocks, all_waves;
};

// The value of a metric by its Nsight Compute name; nullopt: not known.
using MetricValue = std::function<std::optional<double>(const std::string& name)>;
[[nodiscard]] LimiterFacts read_facts(const MetricValue& value);

enum class Limiter : uint8_t { Memory, Compute, Balanced, Latency, SmallGrid };
[[nodiscard]] const char* key(Limiter limiter);  // "memory", "small_grid"

// One number that a verdict or advice is based on.
struct Evidence {
  std::string metric;
  double value = 0;
  std::string_view unit;                      // "%", "wave", "block", "warp"
  std::optional<Range> range = std::nullopt;  // over launches, where it differs
};

struct Verdict {
  Limiter limiter{};
  std::string unit;  // Memory: "dram", "l2", "l1tex", "shared". Compute: "fma", "issue" ... Latency, SmallGrid: the
                     // largest stall, "long_scoreboard". Balanced: both, "l1tex+fma". Empty: not known
  bool saturated = false;          // a throughput of kSaturated or more
  std::string text;                // a sentence with the numbers
  std::vector<Evidence> evidence;  // in the order of the decision
};

// nullopt: the two throughputs are not known.
[[nodiscard]] std::optional<Verdict> find_limiter(const LimiterFacts& facts);

// ---- the limiter of launches that drywarp counted and modelled
struct LaunchSize {
  double blocks = 0, waves = 0;
};

// `launches`: the launches behind `sums` and `facts`; may be empty for a single one.
[[nodiscard]] LimiterFacts limiter_facts_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                            std::span<const LaunchSize> launches = {});
// nullopt: no time was modelled.
[[nodiscard]] std::optional<Verdict> limiter_of(const metrics::Sums& sums, const metrics::Facts& facts,
                                                std::span<const LaunchSize> launches = {});

}  // namespace drywarp::advice
