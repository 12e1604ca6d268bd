// nvprof's metrics and events by name, and their values for a profile's launches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"
#include "faces/profilers/nvprof/kernel_path.h"
#include "profile/metrics/evaluate.h"
#include "profile/record/profile.h"

namespace drywarp::profilers::nvprof {

// How nvprof writes a value: 5120, 12.000000, 86.81%, 9.3842GB/s, "Low (1)". Share: of 1, where drywarp has a
// percentage.
enum class ValueForm : uint8_t { Count, Ratio, Share, Percent, Rate, Level };

struct Counter {
  std::string_view name;
  std::string description;
  ValueForm form{};
  const metrics::Metric* metric = nullptr;  // null: drywarp has no value
  bool event = false;
  [[nodiscard]] std::string why_not() const;  // empty: it has values
};

// All of nvprof's, in its order.
[[nodiscard]] std::vector<Counter> all_metrics();
[[nodiscard]] std::vector<Counter> all_events();
// Comma-separated names, or "all". Metrics: also every other name that `drywarp profile --metrics` takes. An unknown
// name is an error that suggests the nearest ones.
Result<std::vector<Counter>> select_metrics(std::string_view list);
Result<std::vector<Counter>> select_events(std::string_view list);

// A counter of the kernels that --kernels named before it.
struct ScopedCounter {
  Counter counter;
  std::shared_ptr<const KernelPath> scope;  // null: every kernel
};

// One launch's values, in the order of the counters; none: not available, or out of scope.
struct LaunchValues {
  const record::LaunchRecord* launch = nullptr;  // not owned
  std::string kernel;
  std::vector<std::optional<double>> values;
  std::vector<bool> in_scope;
};

struct CounterValues {
  std::vector<Counter> counters;
  std::vector<LaunchValues> launches;  // counted ones in order of issue
};
[[nodiscard]] CounterValues values_of(const record::Profile& profile, std::span<const ScopedCounter> counters,
                                      bool demangle);

// A value as text, or as a CSV cell.
[[nodiscard]] std::string format_value(ValueForm form, std::optional<double> value, bool csv);

}  // namespace drywarp::profilers::nvprof
