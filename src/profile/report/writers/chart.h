// A bar chart in characters: one column a value, a scale at the left, a mark under one column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::report {

struct Chart {
  std::vector<double> values;
  double full = 1;                  // the value that fills the height
  std::optional<size_t> marked;     // this column is the one that there is now
  std::vector<std::string> labels;  // one a value; as many are written as have room
  unsigned column = 1;              // characters a value
  unsigned height = 8;              // lines
};

// Lines without indentation. `unicode`: eighths of a block; otherwise only '#'.
[[nodiscard]] std::vector<std::string> draw(const Chart& chart, bool unicode);

// Whether the locale that LC_ALL, LC_CTYPE or LANG (the first that is set) name writes UTF-8.
[[nodiscard]] bool locale_is_utf8(const char* lc_all, const char* lc_ctype, const char* lang);

}  // namespace drywarp::report
