// A table in nvprof's two forms: text, right-aligned, each value with its unit; CSV, with a row of units under the
// heads.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faces/profilers/nvprof/numbers.h"

namespace drywarp::profilers::nvprof {

// A text in quotes, as every text of nvprof's CSV is.
[[nodiscard]] std::string in_quotes(std::string_view text);

struct Cell {
  std::optional<double> number;
  std::string text;  // without a number: what stands here; empty: "-" in text, nothing in CSV
  static Cell of(std::optional<double> value);  // without a value: "n/a"
  static Cell of(std::string text) { return {std::nullopt, std::move(text)}; }
};

enum class CellKind : uint8_t {
  Quoted,
  Plain,
  Count,
  Percent,
  Time,
  Size,
  Rate
};  // Quoted: a string, in CSV in quotes

struct Column {
  enum class In : uint8_t { Both, Text, Csv };
  std::string head;
  size_t width = 0;  // in text; the last column needs none
  CellKind kind = CellKind::Quoted;
  In in = In::Both;
  std::string csv_head = {};   // if not `head`
  bool optional = false;       // left out if no row has a value
  bool with_previous = false;  // shown if the column before it is
  bool blank = false;          // in text an empty cell stays empty
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] bool shows(size_t column) const;
  void write_text(std::ostream& out, TimeUnit unit) const;
  void write_csv(std::ostream& out, TimeUnit unit) const;

 private:
  [[nodiscard]] std::optional<Unit> unit_of(size_t column, TimeUnit wanted) const;
  [[nodiscard]] std::vector<std::optional<Unit>> units(TimeUnit wanted) const;
  [[nodiscard]] std::vector<size_t> shown(Column::In without) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace drywarp::profilers::nvprof
