#include "profile/report/model/numbers.h"

#include <fmt/format.h>

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
  if (bytes < 1024) return fmt::format("{:.0f}B", bytes);
  constexpr std::array<const char*, 5> suffixes = {"KB", "MB", "GB", "TB", "PB"};
  size_t i = 0;
  for (bytes /= 1024; bytes >= 1023.95 && i + 1 < suffixes.size(); ++i) bytes /= 1024;
  return four_digits(bytes) + suffixes[i];
}

std::string readable_seconds(double s) {
  if (s == 0) return "0s";
  if (s < 1e-6) return four_digits(s * 1e9) + "ns";
  if (s < 1e-3) return four_digits(s * 1e6) + "us";
  if (s < 1) return four_digits(s * 1e3) + "ms";
  return four_digits(s) + "s";
}

std::string readable_percent(double pct) { return fmt::format("{:.2f}%", pct); }

std::string readable_value(std::optional<double> value, std::string_view unit) {
  if (!value) return "-";
  if (unit == "%") return readable_percent(*value);
  if (unit == "byte") return readable_bytes(*value);
  return readable(*value);
}

std::string full(std::optional<double> value) {
  if (!value) return {};
  return whole(*value) ? fmt::format("{:.0f}", *value) : fmt::format("{}", *value);
}

std::string readable_source(ResourceSource source) {
  if (is_compiled(source)) return fmt::format("from {}", name(source));
  return source == ResourceSource::LaunchBounds ? "estimate, as many as launch bounds allow" : "estimate";
}

std::string plural(uint64_t n, std::string_view word) { return fmt::format("{} {}{}", n, word, n == 1 ? "" : "s"); }

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
