#include "faces/calibrate/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "faces/calibrate/fit_steps.h"

namespace drywarp::calibrate {

const FittedNumber* Calibration::find(std::string_view path) const {
  const auto found =
      std::find_if(numbers.begin(), numbers.end(), [&](const FittedNumber& n) { return n.path == path; });
  return found == numbers.end() ? nullptr : &*found;
}

void set(Calibration& out, std::string path, double value, Evidence evidence) {
  out.numbers.push_back({std::move(path), value, evidence});
}

void set_or_miss(Calibration& out, std::string path, std::optional<double> value, const char* needs,
                 Evidence evidence) {
  if (value && std::isfinite(*value))
    set(out, std::move(path), *value, evidence);
  else
    out.missing.push_back(fmt::format("{}: needs {}", path, needs));
}

double rounded(double value, int digits) {
  if (value == 0) return 0;
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::optional<double> whole(std::optional<double> value) {
  if (!value) return value;
  return std::round(*value);
}

std::optional<double> mean(const std::vector<Point>& points) {
  if (points.empty()) return std::nullopt;
  double sum = 0;
  for (const Point& p : points) sum += p.y;
  return sum / double(points.size());
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + long(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<double> slope(const std::vector<Point>& points) {
  if (points.size() < 2) return std::nullopt;
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& p : points) x += p.x, y += p.y, xx += p.x * p.x, xy += p.x * p.y;
  const double n = double(points.size()), spread = n * xx - x * x;
  if (spread == 0) return std::nullopt;
  return (n * xy - x * y) / spread;
}

std::optional<double> last_below(const std::vector<Point>& points, double limit) {
  std::optional<double> last;
  for (const Point& p : points) {
    if (p.y >= limit) break;
    last = p.x;
  }
  return last;
}

std::optional<double> first_above(const std::vector<Point>& points, double limit) {
  for (const Point& p : points)
    if (p.y >= limit) return p.x;
  return std::nullopt;
}

std::optional<double> lowest(const std::vector<Point>& points) {
  if (points.empty()) return std::nullopt;
  return std::min_element(points.begin(), points.end(), [](Point a, Point b) { return a.y < b.y; })->y;
}

std::optional<double> highest(const std::vector<Point>& points) {
  if (points.empty()) return std::nullopt;
  return std::max_element(points.begin(), points.end(), [](Point a, Point b) { return a.y < b.y; })->y;
}

void fit_device(const RawResults& raw, Calibration& out) {
  struct Generation {
    int major, first_minor;
    const char* name;
  };
  constexpr Generation kGenerations[] = {{3, 0, "Kepler"},     {5, 0, "Maxwell"},   {6, 0, "Pascal"}, {7, 0, "Volta"},
                                         {7, 5, "Turing"},     {8, 0, "Ampere"},    {8, 9, "Ada"},    {9, 0, "Hopper"},
                                         {10, 0, "Blackwell"}, {12, 0, "Blackwell"}};
  const auto text = [&](const char* name) {
    const auto found = raw.texts.find(name);
    return found == raw.texts.end() ? std::string("unknown") : found->second;
  };
  out.name = text("name");
  out.when = fmt::format("{}, driver for CUDA {}, CUDA {}", text("date"), text("driver"), text("runtime"));
  const int major = int(raw.value("attributes.ComputeCapabilityMajor").value_or(0));
  const int minor = int(raw.value("attributes.ComputeCapabilityMinor").value_or(0));
  out.architecture = fmt::format("cc {}.{}", major, minor);
  for (const Generation& g : kGenerations)
    if (g.major == major && g.first_minor <= minor) out.architecture = g.name;

  for (const auto& [name, value] : raw.values) {
    if (name.starts_with("attributes.") || name.starts_with("limits.") || name.starts_with("memory."))
      set(out, name, value, Evidence::Cuda);
    if (name.starts_with("multiprocessor.")) set(out, name, value, Evidence::Occupancy);
  }
  // Warps are assigned to the sub-partitions in turn.
  if (const auto parts = raw.value("multiprocessor.sub_partitions"))
    set(out, "multiprocessor.warp_allocation_granularity", *parts, Evidence::Occupancy);
  FittedList carveouts{"multiprocessor.shared_carveouts", {}, Evidence::Occupancy};
  for (const Point& p : raw.points(carveouts.path)) carveouts.values.push_back(p.x);
  if (!carveouts.values.empty()) out.lists.push_back(carveouts);
  const auto clock = raw.value("attributes.MemoryClockRate"), bits = raw.value("attributes.GlobalMemoryBusWidth");
  if (clock && bits) set(out, "rates.dram_bytes_per_second", *clock * 1000 * 2 * *bits / 8, Evidence::Cuda);
  if (const auto hz = raw.value("clock.hz")) set(out, "clock.sm_khz", rounded(*hz / 1000, 4));
}

Calibration fit(const RawResults& raw) {
  Calibration out;
  fit_device(raw, out);
  fit_operations(raw, out);
  fit_memory(raw, out);
  fit_control(raw, out);
  fit_counters(raw, out);
  return out;
}

}  // namespace drywarp::calibrate
