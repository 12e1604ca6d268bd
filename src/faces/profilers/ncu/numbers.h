// Nsight Compute's numbers: "30,876", "26,475.86", "8.19" Kbyte.
#pragma once

#include <optional>
#include <string>

#include "faces/profilers/ncu/results.h"

namespace drywarp::profilers::ncu {

struct NumberStyle {
  bool base_units = false;  // --print-units base
  bool fractions = false;   // --print-fp, and summaries: whole numbers with two decimals too
};

struct Scale {
  double factor = 1;
  std::string unit;
};
// The unit in which a number is written: of bytes, times and frequencies the largest in which it is at least one.
[[nodiscard]] Scale scale_of(double number, const std::string& unit, const NumberStyle& style);

struct Cell {
  std::string unit, text;
};
// Without a value the text is `missing`.
[[nodiscard]] Cell written(const Value& value, const NumberStyle& style, const char* missing);
[[nodiscard]] std::string written(double number, const NumberStyle& style);

}  // namespace drywarp::profilers::ncu
