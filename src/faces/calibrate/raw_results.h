// What the microbenchmarks in cuda/ printed, and what else the machine said: one line a result.
//
//   text NAME ...            value NAME NUMBER            point NAME X Y
//   sass KERNEL MNEMONIC COUNT      instructions of a kernel in the machine code
//   ncu METRIC VALUE                a counter of a launch that does nothing, or of a long one
//
// Recorded results can be read again without a GPU.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/support/result.h"

namespace drywarp::calibrate {

struct Point {
  double x = 0, y = 0;
};

struct RawResults {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, double, std::less<>> values;
  std::map<std::string, std::vector<Point>, std::less<>> series;
  std::map<std::string, std::map<std::string, uint32_t>, std::less<>> sass;  // by kernel, by mnemonic
  std::map<std::string, std::vector<double>, std::less<>> counters;          // by Nsight Compute's name, a launch each

  [[nodiscard]] std::optional<double> value(std::string_view name) const;
  [[nodiscard]] const std::vector<Point>& points(std::string_view name) const;  // none: empty
  [[nodiscard]] std::optional<double> at(std::string_view series, double x) const;
};

// Errors name the line. Results that end before "text end yes" are of a run that did not finish.
Result<RawResults> parse_raw_results(std::string_view text, const std::string& path);

// `cuobjdump -sass` to "sass" lines, counting whole mnemonics without modifiers (FFMA, not FFMA.FTZ), of which a kernel
// has many.
[[nodiscard]] std::string sass_lines(std::string_view cuobjdump);
// The counters that the fit reads, as an argument of `ncu --metrics`; `ncu --csv --page raw --print-units base` to
// "ncu" lines of these.
[[nodiscard]] std::string counter_names();
[[nodiscard]] std::string counter_lines(std::string_view csv);

}  // namespace drywarp::calibrate
