// What a sweep varies: parameters with their values, and which combinations make sense.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/expression.h"
#include "base/support/result.h"

namespace drywarp::sweep {

// Where a value goes.
enum class Kind : uint8_t {
  Macro,      // -D NAME=VALUE
  Argument,   // {NAME} in the program's arguments
  Options,    // words of the compiler
  Registers,  // -maxrregcount; "none": no limit
  Device,     // a GPU's name or file
  WhatIf,     // a change that `drywarp what-if --list` explains; "none": no change
};
[[nodiscard]] const char* key(Kind kind);  // "macro", as in a sweep's file
[[nodiscard]] std::optional<Kind> parse_kind(std::string_view key);

struct Value {
  std::string text;                              // as it is passed on
  std::string label;                             // as tables show it
  std::optional<int64_t> number = std::nullopt;  // of an integer: for constraints, conditions and drawings

  // Whether nothing is passed on: no options, no limit, no change.
  [[nodiscard]] bool is_none() const { return text.empty() || text == "none"; }
};
[[nodiscard]] Value value_of(std::string_view text, std::string_view label = {});

// "32,64,128", "1..4" (1, 2, 3, 4), "16..64+16" (16, 32, 48, 64), "32..256*2" (32, 64, 128, 256), and lists of them.
// Words that are no integers are values as they stand. Fails for ranges that are empty or have more than kMostValues.
Result<std::vector<Value>> parse_values(std::string_view text);
inline constexpr size_t kMostValues = 10'000;

struct Parameter {
  std::string name;
  Kind kind{};
  std::vector<Value> values;       // at least one
  std::string when_text;           // as it was written; empty: always
  std::optional<Expression> when;  // 0: the parameter has no effect, and its first value stands for all
};

struct Constraint {
  std::string text;  // "BM * BN <= 4096"
  Expression expression;
};

// The value of each parameter, as an index into its values.
using Configuration = std::vector<uint32_t>;

class Space : public NameSlots {
 public:
  // Fails for a name that is taken or is no identifier, and for two equal values. `when` may be empty; it names
  // parameters that came before.
  Status add(std::string name, Kind kind, std::vector<Value> values, std::string_view when = {});
  // An expression of integer parameters, which must not be 0. Fails for a name that is no parameter.
  Status constrain(std::string text);

  [[nodiscard]] std::span<const Parameter> parameters() const { return parameters_; }
  [[nodiscard]] std::span<const Constraint> constraints() const { return constraints_; }
  [[nodiscard]] std::optional<size_t> find(std::string_view name) const;
  // Every combination, without constraints. Saturates.
  [[nodiscard]] uint64_t combinations() const;
  // The combination of this number; the last parameter changes first.
  [[nodiscard]] Configuration at(uint64_t number) const;
  // Whether it meets the constraints and has first values where conditions do not hold. Fails for a division by zero.
  [[nodiscard]] Result<bool> valid(const Configuration& configuration) const;
  // Those that are valid, in order. Fails for more than kMostConfigurations, or none.
  [[nodiscard]] Result<std::vector<Configuration>> all() const;
  static constexpr size_t kMostConfigurations = 100'000;
  // Their numbers. Fails for more than `most`, or none, or where there are more than kMostTried combinations.
  [[nodiscard]] Result<std::vector<uint64_t>> valid_numbers(size_t most) const;
  static constexpr uint64_t kMostTried = 10'000'000;

  [[nodiscard]] const Value& value(const Configuration& configuration, size_t parameter) const {
    return parameters_[parameter].values[configuration[parameter]];
  }
  // "BM=32 BN=64"
  [[nodiscard]] std::string text(const Configuration& configuration) const;

  [[nodiscard]] std::optional<uint32_t> slot(std::string_view name) const override;
  [[nodiscard]] std::string hint(std::string_view name) const override;

 private:
  [[nodiscard]] std::vector<int64_t> numbers(const Configuration& configuration) const;
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
};

}  // namespace drywarp::sweep
