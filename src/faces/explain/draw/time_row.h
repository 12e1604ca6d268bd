// Drawings over time: a row of marks for each unit, and an axis.
#pragma once

#include <string>

#include "faces/explain/draw/draw.h"

namespace drywarp::explain {

// `scale` units of time per character.
class TimeRow {
 public:
  static constexpr char kBurst = '#';  // drawn over other marks

  TimeRow(size_t width, double scale) : cells_(width, ' '), scale_(scale) {}
  void mark(double from, double to, char c);
  // '#' as a block, '-' as a line, letters as they are.
  [[nodiscard]] std::string text(const Pen& pen) const;

 private:
  std::string cells_;
  double scale_;
};

// A round number of transfers per character, so that a drawing until `end` fits.
[[nodiscard]] double time_scale(double end, double transfer, const Pen& pen);
[[nodiscard]] std::string draw_time_axis(size_t width, double scale);

}  // namespace drywarp::explain
