// A bar chart in characters: one bar per value, a scale at the left, a mark under one bar.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::report {

struct Chart {
  std::vector<double> values;
  double full = 1;                  // the value that fills the height
  std::optional<size_t> marked;     // the bar of the current value
  std::vector<std::string> labels;  // one per value; those without room are left out
  unsigned column = 1;              // characters per value
  unsigned height = 8;              // lines
};

// Lines without indentation. `unicode`: eighths of a block; otherwise only '#'.
[[nodiscard]] std::vector<std::string> draw(const Chart& chart, bool unicode);

// Whether the locale in LC_ALL, LC_CTYPE or LANG (the first that is set) is UTF-8.
[[nodiscard]] bool locale_is_utf8(const char* lc_all, const char* lc_ctype, const char* lang);

}  // namespace drywarp::report
