#include "base/support/readable.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace drywarp {
namespace {

// Four significant digits.
std::string four_digits(double v) {
  if (v >= 999.95) return fmt::format("{:.0f}", v);
  if (v >= 99.995) return fmt::format("{:.1f}", v);
  if (v >= 9.9995) return fmt::format("{:.2f}", v);
  return fmt::format("{:.3f}", v);
}

}  // namespace

bool whole(double v) { return v == std::floor(v) && std::abs(v) < 9007199254740992.0; }

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

}  // namespace drywarp
