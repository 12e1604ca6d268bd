// What a user expects of a program's kernels: "kernel:transpose* gld_efficiency >= 90".
//
//   [kernel:PATTERN] [launch:N[-M]] [line:FILE:A[-B]] [modelled:]METRIC COMPARISON BOUND
//   BOUND: NUMBER [UNIT]  or  baseline [+|- NUMBER [UNIT or %]]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/support/result.h"
#include "profile/metrics/evaluate.h"
#include "profile/report/model/parts.h"

namespace drywarp::gates {

// Launches of one kernel by their numbers, which begin at 1; a single one is a range of one.
struct LaunchRange {
  uint64_t first = 1, last = 1;
  [[nodiscard]] bool contains(uint64_t number) const { return first <= number && number <= last; }
};
// "3" or "3-5".
[[nodiscard]] std::optional<LaunchRange> parse_launch_range(std::string_view text);

enum class Comparison : uint8_t { Equal, NotEqual, Less, AtMost, Greater, AtLeast };
[[nodiscard]] const char* name(Comparison comparison);  // "=="
// Numbers that differ by rounding alone are equal.
[[nodiscard]] bool holds(double found, Comparison comparison, double expected);

// What a metric is compared with.
struct Bound {
  bool baseline = false;  // relative to the value in the baseline profile
  double value = 0;       // in the expectation's unit; of a baseline: what is added to it
  bool percent = false;   // `value` is a percentage of the baseline's value
  [[nodiscard]] double resolve(double baseline_value) const;
};

struct Expectation {
  std::string text;                   // as the user wrote it
  std::string comparing;              // its part behind the selectors: "gld_efficiency >= 90"
  std::string title;                  // what the user calls it; empty: nothing
  SourceLocation where;               // in a contract file; the command line has no line
  std::string kernel;                 // pattern with * and ?; empty: every kernel
  std::optional<LaunchRange> launch;  // none: every launch of each kernel
  std::optional<LineRange> line;
  const metrics::Metric* metric = nullptr;
  std::string metric_name;  // as the user wrote it
  std::string unit;         // of values: the metric's, or that of its short name
  double scale = 1;         // the metric's values times this are in `unit`
  bool modelled = false;    // asked for by name
  Comparison comparison{};
  Bound bound;

  [[nodiscard]] bool needs_time() const { return metric->group == metrics::Group::Timing; }
  // "transpose.cu:17", or empty.
  [[nodiscard]] std::string line_text() const;
  // "3" or "3-5", or empty.
  [[nodiscard]] std::string launch_text() const;
  // The expectation with the selectors that its contract adds: "kernel:transpose* gld_efficiency >= 90".
  [[nodiscard]] std::string full_text() const;
};

// What a contract says around an expectation, as the text itself could with kernel:, launch: and line:.
struct Selection {
  std::string kernel{};
  std::optional<LaunchRange> launch{};
  std::optional<LineRange> line{};
};

// Locations in problems count columns from `where`, which is the text's first character.
Result<Expectation> parse_expectation(std::string_view text, const SourceLocation& where, Selection within = {});

}  // namespace drywarp::gates
