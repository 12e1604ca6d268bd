// Facts for tests of rules, and the rules that fire on them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "profile/advice/rules/advise.h"

namespace drywarp::advice {

// A kernel of which only metrics are known, as of a GPU's counters.
struct MetricFacts {
  std::map<std::string, double> values;
  [[nodiscard]] Facts facts() const {
    Facts f;
    f.metric = [values = values](const std::string& name) {
      const auto value = values.find(name);
      return value == values.end() ? std::nullopt : std::optional(value->second);
    };
    f.limiter = read_facts(f.metric);
    return f;
  }
};

inline LimiterFacts busy(double compute, double memory, double waves = 20) {
  LimiterFacts f;
  f.compute = compute, f.memory = memory, f.waves = waves, f.sm_active = 100;
  f.blocks = 10000, f.multiprocessors = 132;
  return f;
}

inline std::vector<Advice> advised(const LimiterFacts& limiter) {
  Facts facts;
  facts.limiter = limiter;
  return advise(facts);
}

inline std::vector<std::string> keys(const std::vector<Advice>& all) {
  std::vector<std::string> keys;
  for (const Advice& a : all) keys.emplace_back(a.rule->key);
  return keys;
}

// The finding of one rule; nothing if it does not fire.
inline std::optional<Finding> find(const char* key, const Facts& facts) {
  for (const Rule& rule : all_rules())
    if (std::string_view(rule.key) == key) return rule.find(facts);
  ADD_FAILURE() << "there is no rule " << key;
  return std::nullopt;
}

}  // namespace drywarp::advice
