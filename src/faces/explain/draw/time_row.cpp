#include "faces/explain/draw/time_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace drywarp::explain {

void TimeRow::mark(double from, double to, char c) {
  const auto first = static_cast<size_t>(std::lround(from / scale_));
  const auto last = std::max(first + 1, static_cast<size_t>(std::lround(to / scale_)));
  for (size_t i = first; i < last && i < cells_.size(); ++i)
    if (c == kBurst || cells_[i] == ' ') cells_[i] = c;
}

std::string TimeRow::text(const Pen& pen) const {
  std::string out;
  for (const char c : cells_) {
    if (c == kBurst)
      out += pen.block();
    else if (c == '-')
      out += pen.line();
    else
      out += c;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

double time_scale(double end, double transfer, const Pen& pen) {
  const double room = pen.width > 40 ? pen.width - 18 : 40;
  double scale = transfer;
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0}) {
    scale = transfer * factor;
    if (end / scale <= room) break;
  }
  return scale;
}

std::string draw_time_axis(size_t width, double scale) {
  std::string marks;
  for (size_t at = 0; at < width; at += 10) {
    marks.resize(at, ' ');
    marks += fmt::format("{:g}", static_cast<double>(at) * scale);
  }
  return marks;
}

}  // namespace drywarp::explain
