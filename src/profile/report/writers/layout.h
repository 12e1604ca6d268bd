// Tables, colours and bar charts of text reports.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace drywarp::report {

// Escape sequences, or nothing.
struct Style {
  bool colour = false;
  [[nodiscard]] std::string bold(const std::string& s) const { return wrap("1", s); }
  [[nodiscard]] std::string dim(const std::string& s) const { return wrap("2", s); }
  [[nodiscard]] std::string red(const std::string& s) const { return wrap("31", s); }
  [[nodiscard]] std::string yellow(const std::string& s) const { return wrap("33", s); }

 private:
  [[nodiscard]] std::string wrap(const char* code, const std::string& s) const;
};

class Table {
 public:
  enum class Align { Left, Right };
  // The last column is cut at `width` characters; 0: never cut.
  Table(std::vector<Align> columns, unsigned indent, unsigned width);
  void head(std::vector<std::string> cells);
  void row(std::vector<std::string> cells);
  void print(std::ostream& out, const Style& style) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  std::vector<Align> columns_;
  unsigned indent_, width_;
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

[[nodiscard]] size_t display_width(const std::string& utf8);                // characters, not bytes
[[nodiscard]] std::string cut(const std::string& utf8, size_t characters);  // "..." marks a cut

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
