#include "profile/report/model/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profile/report/model/numbers.h"

namespace drywarp::report {
namespace {

constexpr size_t kColumns = 60, kRows = 11;

// A logarithmic axis of `cells` characters.
struct Axis {
  double low = 1, high = 10;
  size_t cells = 1;
  [[nodiscard]] double at(size_t cell) const {
    return low * std::pow(high / low, static_cast<double>(cell) / static_cast<double>(cells - 1));
  }
  [[nodiscard]] size_t cell(double value) const {
    const double share = std::log(value / low) / std::log(high / low);
    return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells - 1)));
  }
};

RooflineLevel level(const char* key, const char* title, double bytes, double peak_bytes, const Roofline& r) {
  RooflineLevel l{key, title, bytes, peak_bytes, 0, 0, 0};
  l.intensity = bytes > 0 ? r.flops / bytes : 0;
  l.ridge = peak_bytes > 0 ? r.peak / peak_bytes : 0;
  l.roof = bytes > 0 ? std::min(r.peak, l.intensity * peak_bytes) : r.peak;
  return l;
}

}  // namespace

std::vector<Roofline> rooflines(const metrics::Sums& sums, const sm::Summary& t) {
  const struct {
    const char *key, *title;
    metrics::Precision precision;
    double peak;
  } kinds[] = {{"hp", "FP16", metrics::Precision::Half, t.peak_hp_flops},
               {"sp", "FP32", metrics::Precision::Single, t.peak_sp_flops},
               {"dp", "FP64", metrics::Precision::Double, t.peak_dp_flops}};
  std::vector<Roofline> all;
  for (const auto& kind : kinds) {
    Roofline r{kind.key, kind.title, static_cast<double>(sums.flops[size_t(kind.precision)]), 0, kind.peak, {}};
    if (r.flops == 0 || r.peak == 0 || t.duration_ns == 0) continue;
    r.achieved = r.flops / (t.duration_ns * 1e-9);
    r.levels = {
        level("dram", "DRAM", t.dram_read_bytes + t.dram_write_bytes, t.peak_dram_bytes, r),
        level("l2", "L2", 32 * (t.l2_read_sectors + t.l2_write_sectors + t.l2_atomic_sectors), t.peak_l2_bytes, r),
        level("l1", "L1", 32 * t.l1_sectors, t.peak_l1_bytes, r)};
    all.push_back(std::move(r));
  }
  std::ranges::sort(all, [](const Roofline& a, const Roofline& b) {
    const double ours = a.achieved / a.peak, theirs = b.achieved / b.peak;
    return ours != theirs ? ours > theirs : std::string_view(a.key) < b.key;
  });
  return all;
}

std::vector<std::string> draw(const Roofline& r) {
  Axis x{0.01, 1000, kColumns}, y{r.peak * 1e-3, r.peak, kRows};
  for (const RooflineLevel& l : r.levels) {
    if (l.intensity > 0) x.low = std::min(x.low, l.intensity), x.high = std::max(x.high, l.intensity);
  }
  y.low = std::min(y.low, r.achieved / 2);
  std::vector<std::string> grid(kRows, std::string(kColumns, ' '));
  const auto put = [&](size_t column, size_t row, char c) { grid[kRows - 1 - row][column] = c; };
  for (const size_t n : {size_t(2), size_t(0)}) {  // DRAM's roof is drawn over L1's
    const RooflineLevel& l = r.levels[n];
    for (size_t column = 0; column < kColumns; ++column) {
      const double roof = std::min(r.peak, x.at(column) * l.peak_bytes);
      if (roof >= y.low) put(column, y.cell(roof), roof >= r.peak ? '-' : n == 0 ? '/' : '.');
    }
  }
  for (const auto& [n, mark] : {std::pair{2, '1'}, {1, '2'}, {0, 'D'}})
    if (r.levels[n].intensity > 0) put(x.cell(r.levels[n].intensity), y.cell(r.achieved), mark);
  std::vector<std::string> lines;
  for (size_t row = 0; row < kRows; ++row) {
    const bool labelled = row == 0 || row + 1 == kRows || row == kRows - 1 - y.cell(r.achieved);
    const double value = row == 0 ? r.peak : row + 1 == kRows ? y.low : r.achieved;
    lines.push_back(fmt::format("{:>7} |{}", labelled ? readable(value) : "", grid[row]));
    lines.back().erase(lines.back().find_last_not_of(' ') + 1);
  }
  lines.push_back(fmt::format("{:>7} +{}", "FLOP/s", std::string(kColumns, '-')));
  const std::string low = readable(x.low), high = readable(x.high) + " FLOP/byte";
  lines.push_back(fmt::format("{:>7}  {}{:>{}}", "", low, high, kColumns - low.size()));
  return lines;
}

}  // namespace drywarp::report
