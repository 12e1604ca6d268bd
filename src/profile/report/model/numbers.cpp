#include "profile/report/model/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace drywarp::report {
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

std::string_view replaced_library(std::string_view mangled) {
  struct Library {
    std::string_view scope, name;
  };
  static constexpr Library kLibraries[] = {{"_ZN7drywarp6cublas", "cuBLAS"},     {"_ZN7drywarp8cublaslt", "cuBLASLt"},
                                           {"_ZN7drywarp6curand", "cuRAND"},     {"_ZN7drywarp8cusparse", "cuSPARSE"},
                                           {"_ZN7drywarp8cusolver", "cuSOLVER"}, {"_ZN7drywarp5cufft", "cuFFT"}};
  for (const Library& library : kLibraries)
    if (mangled.starts_with(library.scope)) return library.name;
  return {};
}

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

std::string name_in_table(const std::string& display_name) {
  constexpr size_t kLong = 32;
  const std::string name = short_name(display_name);
  if (name.size() <= kLong || name.starts_with("drywarp::")) return name;
  const size_t colons = name.rfind("::", std::min(name.find('<'), name.size()));
  return colons == name.npos ? name : name.substr(colons + 2);
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
