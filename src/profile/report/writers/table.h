// Tables and colours of text reports.
#pragma once

#include <iosfwd>
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

}  // namespace drywarp::report
