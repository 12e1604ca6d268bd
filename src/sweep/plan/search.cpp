#include "sweep/plan/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "base/support/readable.h"
#include "model/whatif/what_if.h"

namespace drywarp::sweep {
namespace {

// One of so many goes on.
size_t share_after(Stage stage) { return stage == Stage::Counts ? 2 : 4; }

std::string score_text(Stage stage, double score) {
  return stage == Stage::Counts ? fmt::format("at least {} cycles by counts", readable(score))
                                : fmt::format("{} on a slice", readable_seconds(score));
}

// Of a space too large to be listed: combinations are drawn until so many are valid.
Result<std::vector<Configuration>> drawn(const Space& space, uint64_t runs, uint64_t seed) {
  const uint64_t most_tried = 1'000'000 + 100 * runs;
  std::mt19937_64 random(seed);
  std::set<Configuration> some;  // in the order of all
  for (uint64_t tried = 0; some.size() < runs; ++tried) {
    if (tried == most_tried)
      return error(fmt::format("of {} combinations that were drawn only {} meet the constraints", tried, some.size()),
                   some.empty() ? "vary fewer parameters, or fewer values" : "take fewer runs, or vary fewer values");
    Configuration configuration;
    for (const Parameter& parameter : space.parameters())
      configuration.push_back(static_cast<uint32_t>(random() % parameter.values.size()));
    const auto keep = space.valid(configuration);
    if (!keep) return keep.problem();
    if (*keep) some.insert(std::move(configuration));
  }
  return std::vector<Configuration>(some.begin(), some.end());
}

bool is_ideal(const Parameter& parameter, const Value& value) {
  if (parameter.kind != Kind::WhatIf || value.is_none()) return false;
  const auto questions = whatif::parse_questions(value.text);
  if (!questions) return false;  // the row says what is wrong
  return std::ranges::any_of(*questions, [](const whatif::Question& question) {
    return !std::holds_alternative<whatif::ChosenSetting>(question.change);
  });
}

// Whether rows that differ in this value do not compete.
bool separates(const Description& description, const Parameter& parameter, const Value& value) {
  if (std::ranges::count(description.per, parameter.name) != 0) return true;
  return parameter.kind == Kind::Device || is_ideal(parameter, value);
}

}  // namespace

std::vector<Stage> stages(Search search) {
  if (search == Search::Halving) return {Stage::Counts, Stage::Slice, Stage::Whole};
  return {Stage::Whole};
}

Result<std::vector<Configuration>> candidates(const Description& description) {
  const Space& space = description.space;
  if (description.search != Search::Random || description.runs == 0) return space.all();
  if (description.runs > Space::kMostConfigurations)
    return error(fmt::format("--runs {}: a sweep has at most {}", description.runs, Space::kMostConfigurations));
  if (space.combinations() > Space::kMostTried) return drawn(space, description.runs, description.seed);
  auto order = space.valid_numbers(Space::kMostTried);
  if (!order) return order.problem();
  if (description.runs < order->size()) {
    // The algorithm is written out: the standard library's may differ from system to system.
    std::mt19937_64 random(description.seed);
    for (size_t i = 0; i < description.runs; ++i) std::swap((*order)[i], (*order)[i + random() % (order->size() - i)]);
    order->resize(description.runs);
    std::ranges::sort(*order);
  }
  std::vector<Configuration> some;
  for (const uint64_t number : *order) some.push_back(space.at(number));
  return some;
}

bool is_ideal(const Description& description, const Configuration& configuration) {
  const auto parameters = description.space.parameters();
  for (size_t p = 0; p < parameters.size(); ++p)
    if (is_ideal(parameters[p], description.space.value(configuration, p))) return true;
  return false;
}

std::string group_of(const Description& description, const Configuration& configuration) {
  std::string group;
  const auto parameters = description.space.parameters();
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Value& value = description.space.value(configuration, p);
    if (separates(description, parameters[p], value))
      group += fmt::format("{}{}={}", group.empty() ? "" : " ", parameters[p].name, value.label);
  }
  return group;
}

std::optional<double> score(const Measurement& measurement, Stage stage) {
  if (measurement.outcome != Outcome::Ok) return std::nullopt;
  return stage == Stage::Counts ? measurement.cycles : measurement.seconds;
}

Selection select(std::span<const Contender> contenders, Stage stage) {
  std::map<std::string, std::vector<const Contender*>> groups;
  for (const Contender& c : contenders) groups[c.group].push_back(&c);
  Selection selection;
  for (auto& [name, group] : groups) {
    std::ranges::stable_sort(group, {}, &Contender::score);
    const size_t share = share_after(stage), kept = (group.size() + share - 1) / share;
    const double last = group[kept - 1]->score;
    for (size_t i = 0; i < group.size(); ++i) {
      if (group[i]->score <= last)
        selection.kept.push_back(group[i]->row);
      else
        selection.dropped.push_back(
            {group[i]->row,
             fmt::format("{}: {} of {}; the best {} {}", score_text(stage, group[i]->score), i + 1, group.size(),
                         stage == Stage::Counts ? "needs" : "takes", score_text(stage, group[0]->score))});
    }
  }
  std::ranges::sort(selection.kept);
  std::ranges::sort(selection.dropped, {}, &Dropped::row);
  return selection;
}

}  // namespace drywarp::sweep
