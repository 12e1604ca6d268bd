#include "sweep/space/space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

namespace drywarp::sweep {
namespace {

constexpr const char* kKinds[] = {"macro", "argument", "options", "registers", "device", "what-if"};

bool is_identifier(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, part);
}

}  // namespace

const char* key(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::optional<Kind> parse_kind(std::string_view key) {
  const auto* found = std::ranges::find(kKinds, key);
  if (found == std::end(kKinds)) return std::nullopt;
  return static_cast<Kind>(found - kKinds);
}

Status Space::add(std::string name, Kind kind, std::vector<Value> values, std::string_view when) {
  if (!is_identifier(name))
    return error(fmt::format("'{}' is no name of a parameter", name), "letters, digits and _, a letter first");
  if (find(name)) return error(fmt::format("the parameter {} is there twice", name), "leave out one of the two");
  if (values.empty()) return error(fmt::format("the parameter {} has no values", name));
  std::set<std::string_view> texts, labels;
  for (const Value& value : values) {
    if (!texts.insert(value.text).second)
      return error(fmt::format("the parameter {} has the value '{}' twice", name, value.text));
    if (!labels.insert(value.label).second)
      return error(fmt::format("the parameter {} has two values named '{}'", name, value.label));
  }
  std::optional<Expression> condition;
  if (!when.empty()) {
    auto parsed = parse_expression(when, *this, fmt::format("when of {}", name));
    if (!parsed) return parsed.problem();
    condition = std::move(*parsed);
  }
  parameters_.push_back({std::move(name), kind, std::move(values), std::string(when), std::move(condition)});
  return {};
}

Status Space::constrain(std::string text) {
  auto parsed = parse_expression(text, *this, "constraint");
  if (!parsed) return parsed.problem();
  constraints_.push_back({std::move(text), std::move(*parsed)});
  return {};
}

std::optional<size_t> Space::find(std::string_view name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found == parameters_.end()) return std::nullopt;
  return static_cast<size_t>(found - parameters_.begin());
}

uint64_t Space::combinations() const {
  uint64_t all = 1;
  for (const Parameter& parameter : parameters_)
    if (__builtin_mul_overflow(all, uint64_t{parameter.values.size()}, &all))
      return std::numeric_limits<uint64_t>::max();
  return all;
}

Configuration Space::at(uint64_t number) const {
  Configuration configuration(parameters_.size());
  for (size_t p = parameters_.size(); p-- > 0;) {
    const uint64_t values = parameters_[p].values.size();
    configuration[p] = static_cast<uint32_t>(number % values);
    number /= values;
  }
  return configuration;
}

std::vector<int64_t> Space::numbers(const Configuration& configuration) const {
  std::vector<int64_t> numbers;
  for (size_t p = 0; p < parameters_.size(); ++p) numbers.push_back(value(configuration, p).number.value_or(0));
  return numbers;
}

Result<bool> Space::valid(const Configuration& configuration) const {
  const std::vector<int64_t> values = numbers(configuration);
  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (!parameters_[p].when) continue;
    const auto holds = parameters_[p].when->evaluate(values);
    if (!holds) return holds.problem();
    if (*holds == 0 && configuration[p] != 0) return false;
  }
  for (const Constraint& constraint : constraints_) {
    const auto holds = constraint.expression.evaluate(values);
    if (!holds) return holds.problem();
    if (*holds == 0) return false;
  }
  return true;
}

Result<std::vector<uint64_t>> Space::valid_numbers(size_t most) const {
  const uint64_t combined = combinations();
  if (combined > kMostTried)
    return error(fmt::format("the sweep has {} combinations", combined),
                 "vary fewer parameters, or fewer values; or take some: --search random --runs 100");
  std::vector<uint64_t> all;
  for (uint64_t number = 0; number < combined; ++number) {
    const auto keep = valid(at(number));
    if (!keep) return keep.problem();
    if (!*keep) continue;
    if (all.size() == most)
      return error(fmt::format("the sweep has more than {} configurations", most),
                   "vary fewer parameters, or add constraints; or take some: --search random --runs 100");
    all.push_back(number);
  }
  if (all.empty()) return error("no configuration meets the constraints");
  return all;
}

Result<std::vector<Configuration>> Space::all() const {
  const auto numbers = valid_numbers(kMostConfigurations);
  if (!numbers) return numbers.problem();
  std::vector<Configuration> all;
  for (const uint64_t number : *numbers) all.push_back(at(number));
  return all;
}

std::string Space::text(const Configuration& configuration) const {
  std::string text;
  for (size_t p = 0; p < parameters_.size(); ++p)
    text += fmt::format("{}{}={}", p == 0 ? "" : " ", parameters_[p].name, value(configuration, p).label);
  return text;
}

// Names whose values are not all integers have no slot: an expression of them would compare nothing.
std::optional<uint32_t> Space::slot(std::string_view name) const {
  const auto found = find(name);
  if (!found || !std::ranges::all_of(parameters_[*found].values, [](const Value& v) { return v.number.has_value(); }))
    return std::nullopt;
  return static_cast<uint32_t>(*found);
}

std::string Space::hint(std::string_view name) const {
  if (find(name)) return fmt::format("the values of {} are not all integers", name);
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters_)
    if (slot(parameter.name)) names.push_back(parameter.name);
  return names.empty() ? "no parameter before it has integers as values"
                       : fmt::format("integer parameters are {}", fmt::join(names, ", "));
}

}  // namespace drywarp::sweep
