#include "faces/explain/draw/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "profile/report/writers/layout.h"

namespace drywarp::explain {

std::string left(const std::string& text, size_t width) {
  const size_t used = report::display_width(text);
  return used >= width ? text : text + std::string(width - used, ' ');
}

std::string right(const std::string& text, size_t width) {
  const size_t used = report::display_width(text);
  return used >= width ? text : std::string(width - used, ' ') + text;
}

std::string repeat(const char* glyph, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += glyph;
  return out;
}

std::string lane_list(LaneMask lanes, const Pen& pen) {
  std::string out;
  for (unsigned lane = 0; lane < kWarpSize;) {
    if ((lanes >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    const auto run = static_cast<unsigned>(std::countr_one(lanes >> lane));
    if (!out.empty()) out += ", ";
    out += run == 1 ? fmt::format("{}", lane) : fmt::format("{}{}{}", lane, pen.to(), lane + run - 1);
    lane += run;
  }
  return out;
}

std::string lane_row(LaneMask lanes, LaneMask among, const Pen& pen) {
  std::string out;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    out += (lanes >> lane & 1) != 0 ? pen.block() : (among >> lane & 1) != 0 ? pen.dot() : " ";
  return out;
}

std::string cell(LaneMask lanes, size_t width, const Pen& pen) {
  if (lanes == 0) return pen.dot();
  const std::string list = lane_list(lanes, pen);
  if (report::display_width(list) <= width) return list;
  return fmt::format("{}{}", pen.times(), std::popcount(lanes));
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& rows) {
  size_t widest = 0;
  for (const auto& [name, value] : rows) widest = std::max(widest, report::display_width(name));
  std::string out;
  for (const auto& [name, value] : rows) out += "  " + left(name, widest + 2) + value + '\n';
  return out;
}

std::string percent(double value) {
  const double rounded = std::round(value * 10) / 10;
  return rounded == std::floor(rounded) ? fmt::format("{:.0f} %", rounded) : fmt::format("{:.1f} %", rounded);
}

std::string heights(const std::vector<double>& values, double most, const Pen& pen) {
  static constexpr const char* kEighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string out;
  for (const double value : values) {
    const double share = most > 0 ? std::clamp(value / most, 0.0, 1.0) : 0;
    // Values above 0 are visible.
    if (pen.unicode) {
      out += kEighths[value > 0 ? std::max(1, static_cast<int>(std::lround(share * 8))) : 0];
    } else {
      out += value > 0 ? static_cast<char>('0' + std::clamp(static_cast<int>(std::lround(share * 9)), 1, 9)) : ' ';
    }
  }
  return out;
}

std::string thread_place(const Extent3& thread, const Extent3& block) {
  if (block[2] != 1) return fmt::format("({}, {}, {})", thread[0], thread[1], thread[2]);
  if (block[1] != 1) return fmt::format("({}, {})", thread[0], thread[1]);
  return fmt::format("({})", thread[0]);
}

}  // namespace drywarp::explain
