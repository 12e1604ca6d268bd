#include "profile/advice/run/advise_run.h"

#include <algorithm>

#include "profile/advice/rules/advise.h"
#include "profile/advice/run/run_rules.h"

namespace drywarp::advice {
namespace {

constexpr RunRule kRunRules[] = {
#define DW_RUN_RULE(function, key, item, source) {{key, Item::item, std::nullopt, source}, function},
#include "profile/advice/run/run_rules.def"
};

}  // namespace

std::span<const RunRule> all_run_rules() { return kRunRules; }

std::vector<Advice> advise_run(const RunFacts& facts) {
  std::vector<Advice> all;
  for (const RunRule& rule : kRunRules)
    if (std::optional<Finding> finding = rule.find(facts)) all.push_back(advice_of(rule, std::move(*finding)));
  std::ranges::sort(all, comes_before);
  return all;
}

}  // namespace drywarp::advice
