#include "model/whatif/what_if.h"

#include <algorithm>

#include "model/whatif/changes.h"

namespace drywarp::whatif {
namespace {

constexpr struct {
  const char *key, *text;
  bool (*change)(TimedLaunch&, const KernelInfo&);
} kScenarioTable[] = {
#define DW_SCENARIO(name, key, text, change) {key, text, change},
#include "model/whatif/scenarios.def"
};

constexpr std::string_view kLinePrefix = "line ";

}  // namespace

const char* key(Scenario scenario) { return kScenarioTable[unsigned(scenario)].key; }
const char* text(Scenario scenario) { return kScenarioTable[unsigned(scenario)].text; }

std::optional<Scenario> parse_scenario(std::string_view key) {
  for (unsigned s = 0; s < kScenarios; ++s)
    if (key == kScenarioTable[s].key) return static_cast<Scenario>(s);
  return std::nullopt;
}

bool change(Scenario scenario, TimedLaunch& launch, const KernelInfo& kernel) {
  return kScenarioTable[unsigned(scenario)].change(launch, kernel);
}

Result<std::vector<Question>> parse_questions(std::string_view text) {
  std::vector<Question> questions;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one == "all") {
      for (unsigned s = 0; s < kScenarios; ++s)
        questions.push_back({.text = kScenarioTable[s].key, .scenario = static_cast<Scenario>(s)});
      continue;
    }
    Question question{.text = std::string(one), .scenario = parse_scenario(one)};
    if (const auto lines = one.starts_with(kLinePrefix) ? parse_line_range(std::string(one.substr(kLinePrefix.size())))
                                                        : std::nullopt) {
      question.lines = *lines;
    } else if (!question.scenario) {
      std::string known;
      for (const auto& scenario : kScenarioTable) known += std::string(", ") + scenario.key;
      return error("'" + question.text + "' is no what-if",
                   "known are: all, line FILE:LINE, line FILE:FIRST-LAST" + known);
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

Result<std::optional<double>> seconds_if(const Question& question, const TimedLaunch& launch, const KernelInfo& kernel,
                                         const sm::Watch& watch) {
  TimedLaunch changed = launch;
  const bool has_cost =
      question.scenario ? change(*question.scenario, changed, kernel) : keep_only_lines(changed, kernel, question);
  if (!has_cost) return std::optional<double>();
  auto timed = sm::time_launch(changed.model, changed.code, changed.trace, changed.launch, watch);
  if (!timed) return timed.problem();
  return std::optional(timed->seconds);
}

}  // namespace drywarp::whatif
