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
  // Lines are cut at `width` characters, so that the last column suffers; 0: never cut.
  Table(std::vector<Align> columns, unsigned indent, unsigned width);
  // Columns that may be left out, in this order, where the last column would have no room.
  void may_drop(std::vector<size_t> columns) { droppable_ = std::move(columns); }
  // The last column's text goes over several lines, where it has room for words; otherwise it is cut.
  void wrap_last() { wraps_ = true; }
  void head(std::vector<std::string> cells);
  void row(std::vector<std::string> cells);
  void line(std::string text);  // across all columns
  void print(std::ostream& out, const Style& style) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  std::vector<Align> columns_;
  unsigned indent_, width_;
  std::vector<std::string> head_;
  struct Row {
    std::vector<std::string> cells;
    std::string line;  // instead of cells
  };
  [[nodiscard]] std::vector<bool> shown(const std::vector<size_t>& widths) const;

  std::vector<Row> rows_;
  std::vector<size_t> droppable_;
  bool wraps_ = false;
};

// Lines of at most `width` characters (0: one line), broken at blanks; a word that is too long is broken anywhere.
[[nodiscard]] std::vector<std::string> wrapped(const std::string& text, size_t width);

// The same, each line after `indent` blanks and with a newline.
void write_indented(std::ostream& out, const std::string& text, size_t indent, size_t width);
// The same after "==drywarp== ", without a newline at the end.
[[nodiscard]] std::string note(const std::string& text, size_t width);

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
