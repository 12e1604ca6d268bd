// Holds a profile to expectations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "profile/gates/expectation.h"
#include "profile/record/profile.h"

namespace drywarp::gates {

// A source line's part in a metric.
struct Place {
  std::string file;
  uint32_t line = 0;            // 0: not known
  std::optional<double> value;  // of the metric, at this line; none: the line is only where the kernel begins
  std::string source;           // its text; empty if the file cannot be read
};

// What was found in launches of one kernel with the same values.
struct Finding {
  std::string kernel;              // demangled
  std::vector<uint64_t> launches;  // numbers among the launches of this kernel, from 1
  record::Extent grid, block;      // of the first of them
  double found = 0, expected = 0;
  std::optional<double> baseline;
  bool holds = false;
  std::string problem;        // why there is nothing to compare; empty: there is
  std::vector<Place> places;  // of a broken expectation: the worst lines first; at most kPlaces
};
inline constexpr size_t kPlaces = 3;

struct Outcome {
  Expectation expectation;
  std::vector<Finding> findings;  // at least one
  [[nodiscard]] bool holds() const;
  [[nodiscard]] uint64_t launches() const;  // that were compared
};

// Every launch of the kernels that an expectation names must meet it, except those where the metric does not apply (an
// efficiency without accesses). Fails if an expectation applies to no launch, or needs a baseline that there is not.
// The launches of a kernel are compared with the baseline's launches of the same kernel in their order.
Result<std::vector<Outcome>> check(std::span<const Expectation> expectations, const record::Profile& profile,
                                   const record::Profile* baseline);

// "12 us", "25 %", "4096 sectors" as messages show it.
[[nodiscard]] std::string value_text(const Expectation& expectation, double value);
// ">= 90 %", "<= 4178 sector (baseline 4096 sector)"
[[nodiscard]] std::string expected_text(const Expectation& expectation, const Finding& finding);
// "launch 2", "launches 1 to 3, 5", "launches 1 to 9, and 3 more"
[[nodiscard]] std::string launches_text(const Finding& finding);
// One sentence: "gld_efficiency is 25 %, expected >= 90 %".
[[nodiscard]] std::string message(const Expectation& expectation, const Finding& finding);

}  // namespace drywarp::gates
