#include "profile/advice/rules/advise.h"

#include <algorithm>

#include "profile/advice/rules/rules.h"

namespace drywarp::advice {
namespace {

using whatif::Scenario;

constexpr std::nullopt_t none = std::nullopt;

constexpr Rule kRules[] = {
#define DW_RULE(function, key, item, scenario, source) {{key, Item::item, scenario, source}, function},
#include "profile/advice/rules/rules.def"
};

constexpr ItemText kItemTexts[] = {
#define DW_ITEM(name, key, title, compute, memory) {key, title, compute, memory},
#include "profile/advice/checklist.def"
};

// 0: a gain worth having; 1: no estimate; 2: no gain.
int rank(const Advice& a) { return !a.is_worth_it() ? 2 : a.gain ? 0 : 1; }

// Occupancy changes when work is done, not how much: no unit can be busier than always. Of idle units that says
// nothing.
std::optional<double> bound(const RuleText& rule, const LimiterFacts& facts) {
  if (rule.item != Item::Occupancy || !facts.compute || !facts.memory) return std::nullopt;
  const double busiest = std::max(*facts.compute, *facts.memory);
  return busiest >= kBusy ? std::optional(std::max(100 / busiest, 1.0)) : std::nullopt;
}

}  // namespace

bool comes_before(const Advice& a, const Advice& b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (a.gain && b.gain && a.gain->factor != b.gain->factor) return a.gain->factor > b.gain->factor;
  return a.rule < b.rule;  // in the order of the table
}

Advice advice_of(const RuleText& rule, Finding finding) {
  Advice advice{&rule, std::move(finding), std::nullopt, "no re-timing shows what this gains", std::nullopt};
  advice.gain = advice.finding.gain;
  return advice;
}

const ItemText& text(Item item) { return kItemTexts[static_cast<size_t>(item)]; }

std::span<const Rule> all_rules() { return kRules; }

std::vector<Advice> advise(const Facts& facts, const GainOf& gain_of) {
  std::vector<Advice> all;
  for (const Rule& rule : kRules) {
    std::optional<Finding> finding = rule.find(facts);
    if (!finding) continue;
    Advice advice = advice_of(rule, std::move(*finding));
    if (rule.scenario && gain_of) {
      GainAnswer answer = gain_of(*rule.scenario);
      advice.gain = answer.gain, advice.not_estimated = std::move(answer.reason);
    }
    if (!advice.gain && gain_of && advice.finding.needs_gain) continue;
    if (!advice.gain) advice.at_most = bound(rule, facts.limiter);
    all.push_back(std::move(advice));
  }
  std::ranges::sort(all, comes_before);
  return all;
}

std::vector<Scenario> scenarios_of(std::span<const Advice> all) {
  std::vector<Scenario> scenarios;
  for (const Advice& advice : all)
    if (advice.rule->scenario && std::ranges::find(scenarios, *advice.rule->scenario) == scenarios.end())
      scenarios.push_back(*advice.rule->scenario);
  return scenarios;
}

}  // namespace drywarp::advice
