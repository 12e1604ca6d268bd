#include "faces/profilers/ncu/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace drywarp::profilers::ncu {
namespace {

struct ScaledUnit {
  std::string_view base;
  std::array<std::string_view, 5> names;  // by factors of 1000; empty: none larger
};
constexpr ScaledUnit kScaled[] = {{"byte", {"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte"}},
                                  {"ns", {"ns", "us", "ms", "s", ""}},
                                  {"hz", {"hz", "Khz", "Mhz", "Ghz", ""}}};

std::string grouped(std::string digits) {
  const size_t end = std::min(digits.find('.'), digits.size());
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t at = end; at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

Scale scale_of(double number, const std::string& unit, const NumberStyle& style) {
  // "byte/s" is scaled as "byte" is; other rates by their time: "sector/ns".
  const size_t word = unit.find('/');
  const std::string base = unit.substr(0, word), rest = word == std::string::npos ? "" : unit.substr(word);
  if (!style.base_units)
    for (const ScaledUnit& scaled : kScaled) {
      if (scaled.base != base) continue;
      size_t i = 0;
      double factor = 1;
      while (i + 1 < scaled.names.size() && !scaled.names[i + 1].empty() && std::abs(number) >= 1000 * factor)
        ++i, factor *= 1000;
      return {factor, std::string(scaled.names[i]) + rest};
    }
  if (!style.base_units && rest == "/s" && std::abs(number) >= 1e3) {
    constexpr std::array<std::string_view, 3> kTimes = {"/ms", "/us", "/ns"};
    size_t i = 0;
    double factor = 1e3;
    while (i + 1 < kTimes.size() && std::abs(number) >= 1000 * factor) ++i, factor *= 1000;
    return {factor, base + std::string(kTimes[i])};
  }
  return {1, unit};
}

std::string written(double number, const NumberStyle& style) {
  const bool whole = number == std::floor(number) && std::abs(number) < 1e15;
  return grouped(fmt::format("{:.{}f}", number, whole && !style.fractions ? 0 : 2));
}

Cell written(const Value& value, const NumberStyle& style, const char* missing) {
  if (!value.text.empty()) return {value.unit, value.text};
  if (!value.number) return {value.unit, missing};
  const Scale scale = scale_of(*value.number, value.unit, style);
  return {scale.unit, written(*value.number / scale.factor, style)};
}

}  // namespace drywarp::profilers::ncu
