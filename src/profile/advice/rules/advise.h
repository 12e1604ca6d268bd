// Applies all rules to a kernel's facts.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "profile/advice/advice.h"

namespace drywarp::advice {

[[nodiscard]] std::span<const Rule> all_rules();

// What is known of a scenario's gain, or why it is not known.
struct GainAnswer {
  std::optional<Gain> gain;
  std::string reason;
};
using GainOf = std::function<GainAnswer(whatif::Scenario)>;

// The largest gain first, then what has no estimate in the order of rules.def, then what re-timing found to gain
// nothing.
[[nodiscard]] std::vector<Advice> advise(const Facts& facts, const GainOf& gain_of = {});

// Advice without re-timing: its gain is the finding's own, if it has one.
[[nodiscard]] Advice advice_of(const RuleText& rule, Finding finding);
// The order of advise().
[[nodiscard]] bool comes_before(const Advice& a, const Advice& b);

// The scenarios that estimate these gains, each once, in order.
[[nodiscard]] std::vector<whatif::Scenario> scenarios_of(std::span<const Advice> all);

}  // namespace drywarp::advice
