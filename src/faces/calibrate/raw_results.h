// The output of the microbenchmarks in cuda/ and of NVIDIA's tools: one line a result.
//
//   text NAME ...            value NAME NUMBER            point NAME X Y
//   sass KERNEL MNEMONIC COUNT      instructions of a kernel in the machine code
// ncu METRIC VALUE a counter of an empty launch, or of a long one
//
// Recorded results can be fitted again without a GPU.
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
  std::map<std::string, std::vector<double>, std::less<>> counters;  // by Nsight Compute's name, one value a launch

  [[nodiscard]] std::optional<double> value(std::string_view name) const;
  [[nodiscard]] const std::vector<Point>& points(std::string_view name) const;  // empty if there are none
  [[nodiscard]] std::optional<double> at(std::string_view series, double x) const;
};

// Errors name the line. Results without "text end yes" come from a run that did not finish.
Result<RawResults> parse_raw_results(std::string_view text, const std::string& path);

// Converts `cuobjdump -sass` to "sass" lines: counts of mnemonics without modifiers (FFMA, not FFMA.FTZ); omits rare
// ones.
[[nodiscard]] std::string sass_lines(std::string_view cuobjdump);
// The counters that the fit reads, as an argument of `ncu --metrics`; and the output of `ncu --csv --page raw
// --print-units base` converted to "ncu" lines.
[[nodiscard]] std::string counter_names();
[[nodiscard]] std::string counter_lines(std::string_view csv);

}  // namespace drywarp::calibrate
