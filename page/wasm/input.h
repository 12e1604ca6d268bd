// Reads the keys of a question; they are named as the options of `drywarp explain`. A key that is missing has the
// option's default.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/support/result.h"
#include "faces/explain/launch_configuration.h"

namespace drywarp::page {

using Json = nlohmann::ordered_json;

// Remembers the first key that has a wrong type or is out of bounds: look at problem() after the last.
class Input {
 public:
  explicit Input(const Json& json) : json_(json) {}

  [[nodiscard]] const std::optional<Diagnostic>& problem() const { return problem_; }
  [[nodiscard]] bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }

  template <class T>
  T number(const char* key, T otherwise) {
    return has(key) ? as_number<T>(json_[key], key).value_or(otherwise) : otherwise;
  }
  bool flag(const char* key) {
    if (!has(key)) return false;
    if (!json_[key].is_boolean()) return wrong(key, "true or false"), false;
    return json_[key].template get<bool>();
  }
  std::string text(const char* key, std::string otherwise = {}) {
    if (!has(key)) return otherwise;
    if (!json_[key].is_string()) return wrong(key, "a text"), otherwise;
    return json_[key].template get<std::string>();
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> out;
    for (const Json& element : list(key)) {
      if (!element.is_string()) return wrong(key, "a list of texts"), out;
      out.push_back(element.get<std::string>());
    }
    return out;
  }
  template <class T>
  std::vector<T> numbers(const char* key) {
    std::vector<T> out;
    for (const Json& element : list(key))
      if (const auto number = as_number<T>(element, key)) out.push_back(*number);
    return out;
  }
  // x, y and z; trailing ones may be left out.
  explain::Extent3 extent(const char* key, explain::Extent3 otherwise) {
    const std::vector<uint32_t> given = numbers<uint32_t>(key);
    if (given.empty()) return otherwise;
    if (given.size() > 3) wrong(key, "one to three numbers");
    explain::Extent3 out{1, 1, 1};
    for (size_t i = 0; i < 3 && i < given.size(); ++i) out[i] = given[i];
    return out;
  }

 private:
  const Json& list(const char* key) {
    static const Json kNone = Json::array();
    if (!has(key)) return kNone;
    if (!json_[key].is_array()) return wrong(key, "a list"), kNone;
    return json_[key];
  }
  // JavaScript writes whole numbers beyond 2^53 as texts.
  template <class T>
  std::optional<T> as_number(const Json& json, const char* key) {
    if constexpr (std::is_integral_v<T>) {
      if (json.is_string()) {
        const auto& digits = json.get_ref<const std::string&>();
        T value{};
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (failure == std::errc() && end == digits.data() + digits.size()) return value;
      } else if (json.is_number_unsigned()) {
        const auto value = json.get<uint64_t>();
        if (std::in_range<T>(value)) return static_cast<T>(value);
      } else if (json.is_number_integer()) {
        const auto value = json.get<int64_t>();
        if (std::in_range<T>(value)) return static_cast<T>(value);
      }
      wrong(key, "a whole number in its range");
    } else {
      if (json.is_number()) return json.get<T>();
      wrong(key, "a number");
    }
    return std::nullopt;
  }
  void wrong(const char* key, const char* expected) {
    if (!problem_) problem_ = error(fmt::format("'{}' must be {}", key, expected));
  }

  const Json& json_;
  std::optional<Diagnostic> problem_;
};

}  // namespace drywarp::page
