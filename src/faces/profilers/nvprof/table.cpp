#include "faces/profilers/nvprof/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace drywarp::profilers::nvprof {
namespace {

std::optional<Quantity> quantity(CellKind kind) {
  if (kind == CellKind::Time) return Quantity::Time;
  if (kind == CellKind::Size) return Quantity::Size;
  return kind == CellKind::Rate ? std::optional(Quantity::Rate) : std::nullopt;
}

std::string readable(CellKind kind, double value) {
  switch (kind) {
    case CellKind::Time:
      return readable_time(value);
    case CellKind::Size:
      return readable_size(value);
    case CellKind::Rate:
      return readable_rate(value);
    case CellKind::Percent:
      return fmt::format("{:.2f}%", value);
    default:
      return fmt::format("{:.0f}", value);
  }
}

}  // namespace

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

Cell Cell::of(std::optional<double> value) { return {value, value ? "" : "n/a"}; }

bool Table::shows(size_t column) const {
  if (columns_[column].with_previous) return shows(column - 1);
  return !columns_[column].optional || std::ranges::any_of(rows_, [&](const std::vector<Cell>& row) {
    return row[column].number || !row[column].text.empty();
  });
}

std::optional<Unit> Table::unit_of(size_t column, TimeUnit wanted) const {
  const auto q = quantity(columns_[column].kind);
  if (!q) return std::nullopt;
  double largest = 0;
  for (const auto& row : rows_) largest = std::max(largest, row[column].number.value_or(0));
  return *q == Quantity::Time ? time_unit(wanted, largest) : unit_for(*q, largest);
}

std::vector<size_t> Table::shown(Column::In without) const {
  std::vector<size_t> all;
  for (size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].in != without && shows(c)) all.push_back(c);
  return all;
}

std::vector<std::optional<Unit>> Table::units(TimeUnit wanted) const {
  std::vector<std::optional<Unit>> all;
  for (size_t c = 0; c < columns_.size(); ++c) all.push_back(unit_of(c, wanted));
  return all;
}

void Table::write_text(std::ostream& out, TimeUnit unit) const {
  const bool scaled = unit != TimeUnit::Auto;  // then times have no unit of their own, but a row of units
  const std::vector<size_t> shown = this->shown(Column::In::Csv);
  const auto units = this->units(unit);
  const auto line = [&](auto&& cell) {
    std::string text;
    for (const size_t c : shown)
      text += fmt::format("{}{:>{}}", c == shown[0] ? "" : "  ", cell(columns_[c], c), columns_[c].width);
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  };
  const auto is_scaled = [&](const Column& column) { return scaled && column.kind == CellKind::Time; };
  line([](const Column& column, size_t) { return column.head; });
  if (scaled)
    line([&](const Column& column, size_t c) { return std::string(is_scaled(column) ? units[c]->name : ""); });
  for (const auto& row : rows_)
    line([&](const Column& column, size_t c) {
      if (!row[c].number) return row[c].text.empty() && !column.blank ? std::string("-") : row[c].text;
      return is_scaled(column) ? fmt::format("{:f}", *row[c].number / units[c]->scale)
                               : readable(column.kind, *row[c].number);
    });
}

void Table::write_csv(std::ostream& out, TimeUnit unit) const {
  const std::vector<size_t> shown = this->shown(Column::In::Text);
  const auto units = this->units(unit);
  const auto line = [&](auto&& cell) {
    for (const size_t c : shown) out << (c == shown[0] ? "" : ",") << cell(columns_[c], c);
    out << '\n';
  };
  line([](const Column& column, size_t) { return in_quotes(column.csv_head.empty() ? column.head : column.csv_head); });
  const auto unit_name = [&](const Column& column, size_t c) {
    return std::string(units[c] ? units[c]->name : column.kind == CellKind::Percent ? "%" : "");
  };
  if (std::ranges::any_of(shown, [&](size_t c) { return !unit_name(columns_[c], c).empty(); })) line(unit_name);
  for (const auto& row : rows_)
    line([&](const Column& column, size_t c) {
      const Cell& cell = row[c];
      if (!cell.number) return column.kind == CellKind::Quoted && !cell.text.empty() ? in_quotes(cell.text) : cell.text;
      if (column.kind == CellKind::Count) return fmt::format("{:.0f}", *cell.number);
      return fmt::format("{:f}", units[c] ? *cell.number / units[c]->scale : *cell.number);
    });
}

}  // namespace drywarp::profilers::nvprof
