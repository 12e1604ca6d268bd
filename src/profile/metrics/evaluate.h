// Metrics by name, and their values for a launch, a kernel's launches together, a source line or an instruction.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/events/counts.h"
#include "base/support/result.h"
#include "model/sm/summary.h"
#include "profile/metrics/sums.h"

namespace drywarp::metrics {

enum class MetricClass : uint8_t { Exact, Modelled, NotAvailable };
enum class Group : uint8_t {
  Launch,
  Instructions,
  Divergence,
  Global,
  Local,
  Shared,
  Atomics,
  Barriers,
  Flops,
  Timing
};
inline constexpr unsigned kGroups = 10;
[[nodiscard]] const char* name(MetricClass c);  // "exact", "modelled", "not available"
[[nodiscard]] const char* title(Group g);       // "Global memory"

// What metrics read beside counts. A kernel's launches together have `time` only.
struct Facts {
  std::optional<double> blocks, block_threads, threads, registers, static_shared, dynamic_shared;
  const sm::Summary* time = nullptr;  // not owned; null: not modelled
};
struct LaunchSize {
  uint64_t blocks = 1, block_threads = 1, dynamic_shared_bytes = 0;
};
[[nodiscard]] Facts facts(const KernelInfo& kernel, const LaunchSize& shape);

// EvenZero: a zero is good news, such as no excess or no divergent branches, where the metric before it in the table is
// shown. Other zeros are noise: most kernels use few classes of instructions.
enum class Show : uint8_t { No, Yes, EvenZero };

// One row of metrics.def.
struct Metric {
  std::string_view name;   // nvprof's or ours
  std::string_view alias;  // Nsight Compute's; may be empty
  Group group{};
  std::string_view unit;
  MetricClass klass{};      // without a compiler's report
  Show show{};              // in the text report, without being asked for
  std::string_view reason;  // NotAvailable: why
  std::string_view description;
  std::optional<double> (*formula)(const Sums& s, const Facts& f) = nullptr;  // NotAvailable: null
  bool compilers = false;                                                     // exact if a compiler reported it
  const Metric* counter = nullptr;  // a roll-up: the row that it is computed from; it has no formula of its own
  std::optional<double> (*roll_up)(const Metric& self, double counted, const Facts& f) = nullptr;

  // The short name for people: the description up to its first ": " or " (".
  [[nodiscard]] std::string_view title() const {
    return description.substr(0, std::min(description.find(": "), description.find(" (")));
  }
  [[nodiscard]] MetricClass klass_from(ResourceSource source) const {
    return compilers && is_compiled(source) ? MetricClass::Exact : klass;
  }
  // No value: not available, or does not apply (an efficiency without accesses).
  [[nodiscard]] std::optional<double> evaluate(const Sums& sums, const Facts& facts) const {
    if (formula) return formula(sums, facts);
    if (!roll_up) return std::nullopt;
    const std::optional<double> counted = counter->evaluate(sums, facts);
    return counted ? roll_up(*this, *counted, facts) : std::nullopt;
  }
  [[nodiscard]] bool has_values() const { return formula || roll_up; }
};

[[nodiscard]] std::span<const Metric> all_metrics();  // in the order of the table
// By either name, or a roll-up of a row (rollups.h); null if there is none.
[[nodiscard]] const Metric* find_metric(std::string_view name);

// A metric under the name that the user gave.
struct Selected {
  const Metric* metric = nullptr;
  std::string_view name;
};

// Comma-separated names, globs ("gld_*", "l1tex__*_ld.sum") or "all". A name may select a metric that is not available;
// a glob selects these only if it matches nothing else. In the given order, each name once. An unknown name is an error
// that suggests the nearest ones.
Result<std::vector<Selected>> select(std::string_view list);
// Every metric that has values, under its first name; `both_names`: again under its alias.
[[nodiscard]] std::vector<Selected> available(bool both_names);

struct Value {
  const Metric* metric = nullptr;
  std::optional<double> value;
};
// All metrics of one launch, in the order of the table.
[[nodiscard]] std::vector<Value> evaluate(const KernelInfo& kernel, const LaunchCounts& counts,
                                          const LaunchSize& shape);

// One metric over the launches of a kernel, without those where it has no value.
struct Spread {
  uint64_t launches = 0;
  double min = 0, max = 0, sum = 0;
  void add(std::optional<double> value);
  [[nodiscard]] double avg() const { return launches == 0 ? 0 : sum / static_cast<double>(launches); }
};

}  // namespace drywarp::metrics
