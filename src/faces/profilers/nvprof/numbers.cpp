#include "faces/profilers/nvprof/numbers.h"

#include <fmt/format.h>

#include <array>

namespace drywarp::profilers::nvprof {
namespace {

// The largest first.
constexpr std::array<Unit, 4> kTimes = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
constexpr double kKilo = 1024;
constexpr std::array<Unit, 4> kSizes = {{{"GB", kKilo* kKilo* kKilo}, {"MB", kKilo* kKilo}, {"KB", kKilo}, {"B", 1}}};
constexpr std::array<Unit, 4> kRates = {
    {{"GB/s", kKilo* kKilo* kKilo}, {"MB/s", kKilo* kKilo}, {"KB/s", kKilo}, {"B/s", 1}}};

constexpr std::span<const Unit> units(Quantity quantity) {
  if (quantity == Quantity::Time) return kTimes;
  return quantity == Quantity::Size ? std::span<const Unit>(kSizes) : std::span<const Unit>(kRates);
}

// `value` with `digits` digits, before and behind the point together.
std::string with_digits(double value, int digits) {
  for (int decimals = digits - 1; decimals > 0; --decimals) {
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.size() <= size_t(digits) + 1) return text;
  }
  return fmt::format("{:.0f}", value);
}

}  // namespace

Unit unit_for(Quantity quantity, double largest) {
  for (const Unit& unit : units(quantity))
    if (largest >= unit.scale) return unit;
  return units(quantity).back();
}

std::string readable_time(double seconds) {
  const Unit unit = unit_for(Quantity::Time, seconds);
  const double value = seconds / unit.scale;
  if (unit.scale == 1) return value < 1000 ? with_digits(value, 6) + "s" : fmt::format("{:.1e}s", value);
  if (unit.scale > 1e-9) return with_digits(value, 5) + unit.name;
  return fmt::format("{:.0f}ns", value);
}

std::string readable_size(double bytes) {
  const Unit unit = unit_for(Quantity::Size, bytes);
  return (unit.scale == 1 ? fmt::format("{:.0f}", bytes) : with_digits(bytes / unit.scale, 5)) + unit.name;
}

std::string readable_rate(double per_second) {
  const Unit unit = unit_for(Quantity::Rate, per_second);
  return with_digits(per_second / unit.scale, unit.scale == 1 ? 6 : 5) + unit.name;
}

std::optional<TimeUnit> parse_time_unit(std::string_view word) {
  constexpr std::array<const char*, 6> names = {"auto", "col", "s", "ms", "us", "ns"};
  for (size_t i = 0; i < names.size(); ++i)
    if (word == names[i]) return static_cast<TimeUnit>(i);
  return std::nullopt;
}

Unit time_unit(TimeUnit wanted, double largest) {
  if (wanted < TimeUnit::S) return unit_for(Quantity::Time, largest);
  return kTimes[size_t(wanted) - size_t(TimeUnit::S)];
}

}  // namespace drywarp::profilers::nvprof
