#include "profile/report/model/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace drywarp::report {
namespace {

// Four significant digits.
std::string four_digits(double v) {
  if (v >= 999.95) return fmt::format("{:.0f}", v);
  if (v >= 99.995) return fmt::format("{:.1f}", v);
  if (v >= 9.9995) return fmt::format("{:.2f}", v);
  return fmt::format("{:.3f}", v);
}

bool whole(double v) { return v == std::floor(v) && std::abs(v) < 9007199254740992.0; }

}  // namespace

std::string readable(double count) {
  if (count < 0) return "-" + readable(-count);
  if (count < 10000) return whole(count) ? fmt::format("{:.0f}", count) : four_digits(count);
  constexpr std::array<const char*, 6> suffixes = {"k", "M", "G", "T", "P", "E"};
  size_t i = 0;
  for (count /= 1000; count >= 999.95 && i + 1 < suffixes.size(); ++i) count /= 1000;
  return four_digits(count) + suffixes[i];
}

std::string readable_bytes(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} B", bytes);
  constexpr std::array<const char*, 5> suffixes = {"KB", "MB", "GB", "TB", "PB"};
  size_t i = 0;
  for (bytes /= 1024; bytes >= 1023.95 && i + 1 < suffixes.size(); ++i) bytes /= 1024;
  return four_digits(bytes) + " " + suffixes[i];
}

std::string readable_seconds(double s) {
  if (s == 0) return "0 s";
  const auto three_digits = [](double v) { return fmt::format("{:.{}f}", v, v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2); };
  if (s < 1e-6) return three_digits(s * 1e9) + " ns";
  if (s < 1e-3) return three_digits(s * 1e6) + " us";
  if (s < 1) return three_digits(s * 1e3) + " ms";
  return three_digits(s) + " s";
}

std::string readable_percent(double pct) { return fmt::format("{:.2f} %", pct); }

std::string readable_rate(double rate, std::string_view unit) {
  constexpr std::array<const char*, 6> prefixes = {"", "k", "M", "G", "T", "P"};
  size_t i = 0;
  for (; rate >= 999.95 && i + 1 < prefixes.size(); ++i) rate /= 1000;
  return fmt::format("{} {}{}", four_digits(rate), prefixes[i], unit);
}

std::string unit_for(double value, std::string_view unit) {
  constexpr std::array<std::string_view, 8> uncounted = {"", "%", "inst", "flop", "ns", "us", "ms", "hz"};
  const size_t slash = std::min(unit.find('/'), unit.size());
  const std::string_view counted = unit.substr(0, slash);
  if (std::ranges::find(uncounted, counted) != uncounted.end()) return std::string(unit);
  return noun_for(value, counted).append(unit.substr(slash));
}

std::string readable_value(std::optional<double> value, std::string_view unit) {
  if (!value) return "-";
  if (unit == "%") return readable_percent(*value);
  if (unit == "byte") return readable_bytes(*value);
  if (unit == "ns") return readable_seconds(*value * 1e-9);
  if (unit == "byte/s") return readable_rate(*value, "B/s");
  return fmt::format("{} {}", readable(*value), unit_for(*value, unit));
}

bool scales(std::string_view unit) { return unit == "%" || unit == "ns" || unit == "byte" || unit == "byte/s"; }

std::string short_name(const std::string& display_name) {
  int depth = 0;  // of template arguments, which may hold blanks and parentheses
  size_t begin = 0;
  for (size_t i = 0; i < display_name.size(); ++i) {
    depth += display_name[i] == '<';
    depth -= display_name[i] == '>';
    if (depth != 0) continue;
    constexpr std::string_view kUnnamed = "(anonymous namespace)";
    if (std::string_view(display_name).substr(i).starts_with(kUnnamed)) {
      i += kUnnamed.size() - 1;
      continue;
    }
    if (display_name[i] == ' ') begin = i + 1;
    if (display_name[i] == '(' && i > begin) return display_name.substr(begin, i - begin);
  }
  return display_name;
}

std::string full(std::optional<double> value) {
  if (!value) return {};
  return whole(*value) ? fmt::format("{:.0f}", *value) : fmt::format("{}", *value);
}

std::string readable_source(ResourceSource source) {
  if (is_compiled(source)) return fmt::format("from {}", name(source));
  return source == ResourceSource::LaunchBounds ? "estimate, as many as launch bounds allow" : "estimate";
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace drywarp::report
